import { readFileSync } from "node:fs";
import { z } from "zod";

const mutantSchema = z.strictObject({
  file: z.string(),
  from: z.string(),
  to: z.string(),
  /** Why no test can notice it, or none does yet. */
  survives: z.string().optional(),
});

/** The folders that judge histories, and those that they ask for the traits of faults: only what is in them can be mutated. */
export const MUTATED_FOLDERS = ["harness/core", "harness/history", "harness/check", "faults"];

/** One change to one file that a test of the checkers must notice. */
export type Mutant = z.infer<typeof mutantSchema>;

/** The list of mutants. */
export function readMutants(): readonly Mutant[] {
  return z.array(mutantSchema).parse(readJson("mutants.json"));
}

const killersSchema = z.record(z.string(), z.record(z.string(), z.array(z.string())));

/** For each file with mutants the tests that killed one of them the last time: names of tests by their file. */
export type Killers = z.infer<typeof killersSchema>;

/** What the last run with `--remember` found. A mutant that none of these tests kills is tried with all the others. */
export function readKillers(): Killers {
  return killersSchema.parse(readJson("killers.json"));
}

export const KILLERS_FILE = new URL("killers.json", import.meta.url);

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}
