/**
 * Do the tests of the checkers notice when a checker is wrong? `npm run mutants` changes one place at a time, as
 * `mutants.json` lists them, in a copy of the folders that judge histories, and runs the tests. A mutant that may
 * survive is listed with the reason. Exits with 1 when another one survives, or makes the tests run into their time
 * limit, which decides nothing. All of them take about an hour and a
 * half: `npm run mutants -- 17 42` tries those two, `npm run mutants -- --minutes 3` as many as three minutes allow,
 * beginning at a place in the list that depends on the commit.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";

const mutantSchema = z.strictObject({
  file: z.string(),
  from: z.string(),
  to: z.string(),
  /** Why no test can notice it, or none does yet. */
  survives: z.string().optional(),
});

/** The list of mutants. */
export function readMutants(): readonly z.infer<typeof mutantSchema>[] {
  const text = readFileSync(new URL("mutants.json", import.meta.url), "utf8");
  return z.array(mutantSchema).parse(JSON.parse(text));
}

/** The folders that judge histories, and those that they ask for the traits of faults. */
const ROOMS = ["harness/core", "harness/history", "harness/check", "faults"];

/** What else their tests need. */
const FILES = ["package.json", "tsconfig.json", "docs/history.md", "harness/testing/fixed-draws.ts"];

const CONFIGURATION = `
  import { defineConfig } from "vitest/config";
  export default defineConfig({
    test: {
      include: ["harness/{check,history}/**/*.test.ts"],
      exclude: ["**/fuzzing.test.ts", "**/mutants.test.ts", "**/*.long.*"],
      // The same random histories for each mutant: another one must not kill it, or fail without any.
      setupFiles: ["harness/testing/fixed-draws.ts"],
      env: { CI: "true" },
      bail: 1,
      // A busy machine must not kill a mutant that the tests let live.
      testTimeout: 120_000,
    },
  });
`;

function copyOfCheckers(): string {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const copy = mkdtempSync(join(tmpdir(), "lockstorm-mutants-"));
  for (const room of ROOMS) cpSync(join(root, room), join(copy, room), { recursive: true });
  for (const file of FILES) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, "vitest.config.ts"), CONFIGURATION);
  return copy;
}

const LIMIT_MS = 600_000;

/** `timed out`: the tests did not end, be it that the mutant hangs or that the machine is too busy. */
type Outcome = "passed" | "failed" | "timed out";

/** How many characters of what the tests print are told: a failure and the error that it names. */
const TOLD_CHARACTERS = 4000;

/** Runs the tests of the copy. `words`: the last of what they print. */
function runTests(copy: string): { readonly outcome: Outcome; readonly words: string } {
  const vitest = join(copy, "node_modules", "vitest", "vitest.mjs");
  const options = { cwd: copy, timeout: LIMIT_MS, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  const { status, error, signal, stdout, stderr } = spawnSync(process.execPath, [vitest, "run"], options);
  const words = `${stdout}${stderr}`.slice(-TOLD_CHARACTERS);
  if (error !== undefined && "code" in error && error.code === "ETIMEDOUT") return { outcome: "timed out", words };
  if (error !== undefined) throw error;
  if (signal !== null) throw new Error(`the tests were ended by ${signal}`);
  return { outcome: status === 0 ? "passed" : "failed", words };
}

/** The numbers of all mutants, beginning where this commit begins. */
function rotated(count: number): readonly number[] {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  const first = Number.parseInt(stdout.slice(0, 8), 16) % count || 0;
  return Array.from({ length: count }, (_, index) => (first + index) % count);
}

function main(chosen: readonly number[], minutes: number): number {
  const mutants = readMutants();
  const numbers = chosen.length > 0 ? chosen : rotated(mutants.length);
  const unknown = numbers.find((number) => mutants[number] === undefined);
  if (unknown !== undefined) {
    console.error(`there is no mutant ${unknown}: they are numbered from 0 to ${mutants.length - 1}`);
    return 1;
  }
  const copy = copyOfCheckers();
  const endsAt = performance.now() + minutes * 60_000;
  let tried = 0;
  try {
    const without = runTests(copy);
    if (without.outcome !== "passed") {
      console.error(`without any mutant the tests ${without.outcome}; the last that they print:\n${without.words}`);
      return 1;
    }
    let unexplained = 0;
    let undecided = 0;
    for (const number of numbers) {
      const mutant = mutants[number];
      if (mutant === undefined || performance.now() >= endsAt) break;
      const { file, from, to, survives } = mutant;
      const path = join(copy, file);
      const original = readFileSync(path, "utf8");
      writeFileSync(
        path,
        original.replace(from, () => to),
      );
      const { outcome } = runTests(copy);
      writeFileSync(path, original);
      if (outcome === "passed" && survives === undefined) unexplained += 1;
      if (outcome === "timed out") undecided += 1;
      const told = {
        passed: `SURVIVED (${survives ?? "unexplained"})`,
        failed: "killed",
        "timed out": `UNDECIDED: the tests did not end within ${LIMIT_MS / 1000} s`,
      }[outcome];
      console.log(
        `${number} ${file}: ${JSON.stringify(from.slice(0, 60))} -> ${JSON.stringify(to.slice(0, 40))}: ${told}`,
      );
      tried += 1;
    }
    console.log(
      `${tried} of ${mutants.length} mutants tried, ${unexplained} survived without a reason, ${undecided} undecided`,
    );
    return unexplained + undecided;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { minutes: { type: "string" } }, allowPositionals: true });
  process.exitCode = main(positionals.map(Number), Number(values.minutes ?? Infinity)) > 0 ? 1 : 0;
}
