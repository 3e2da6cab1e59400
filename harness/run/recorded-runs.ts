import { existsSync, lstatSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { UserError } from "../core/errors.ts";
import { codeOf, systemReason } from "../core/system-reason.ts";
import { readTextFile } from "./input-file.ts";

/** What `RunFolder` calls the folder of a run: `2026-11-22T22-14-03-1059788428`, perhaps with a number. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-\d+(?:-\d+)?$/;

/** A recorded run, by its name. */
export interface RecordedRun {
  readonly folder: string;
  readonly begunAt: Date;
}

/** What is known of a run without its history. */
export interface RunSummary {
  readonly lock: string;
  readonly topology: string;
  readonly seed: number;
  /** The kinds of faults of its plan, in order. */
  readonly faults: readonly string[];
  /** `unfinished`: it was interrupted, or is still running. */
  readonly verdict: "valid" | "invalid" | "unknown" | "unfinished";
  /** The properties that were violated. */
  readonly violated: readonly string[];
  /** The causes of its violations, each once. */
  readonly causes: readonly string[];
}

/** As much of a plan and of a verdict as a list shows. */
const planSchema = z.object({
  lock: z.string(),
  seed: z.number(),
  topology: z.object({ kind: z.string() }),
  faults: z.array(z.object({ kind: z.string() })).default([]),
});
const verdictSchema = z.object({
  verdict: z.enum(["valid", "invalid", "unknown"]),
  properties: z.record(
    z.string(),
    z.object({ verdict: z.string(), violations: z.array(z.object({ cause: z.string() })).default([]) }),
  ),
});

/**
 * The runs of a store, the newest first. Reads names only: a store may have a hundred thousand. What was not called
 * by lockstorm is left out.
 * @throws UserError when the store cannot be read; a store without runs is empty
 */
export function recordedRuns(store: string): readonly RecordedRun[] {
  const folder = join(store, "runs");
  return namesIn(folder)
    .flatMap((name) => {
      const [, date, hour, minute, second] = NAME.exec(name) ?? [];
      const begunAt = new Date(`${date}T${hour}:${minute}:${second}Z`);
      return Number.isNaN(begunAt.getTime()) ? [] : [{ folder: join(folder, name), begunAt }];
    })
    .toSorted((one, other) => other.begunAt.getTime() - one.begunAt.getTime());
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw new UserError(`${folder} cannot be read: ${systemReason(error)}`, "name another --store", { cause: error });
  }
}

/**
 * What a run was, by its plan and its verdict.
 * @throws Error with the reason, when it has no readable plan, or a verdict that is none
 */
export function summaryOf(folder: string): RunSummary {
  const { lock, seed, topology, faults } = readAs(join(folder, "plan.json"), planSchema, "a plan");
  const verdictFile = join(folder, "verdict.json");
  const judged = existsSync(verdictFile) ? readAs(verdictFile, verdictSchema, "a verdict") : undefined;
  const properties = Object.entries(judged?.properties ?? {});
  const violations = properties.flatMap(([, { violations }]) => violations);
  return {
    lock,
    topology: topology.kind,
    seed,
    faults: faults.map(({ kind }) => kind),
    verdict: judged?.verdict ?? "unfinished",
    violated: properties.flatMap(([name, { verdict }]) => (verdict === "invalid" ? [name] : [])),
    causes: [...new Set(violations.map(({ cause }) => cause))],
  };
}

function readAs<T>(path: string, schema: z.ZodType<T>, what: string): T {
  try {
    return schema.parse(JSON.parse(readTextFile(path)));
  } catch (error) {
    const why = error instanceof z.ZodError ? `it is not ${what}` : systemReason(error);
    throw new Error(`${basename(path)} cannot be read as ${what}: ${why}`, { cause: error });
  }
}

/**
 * Deletes the folder of a run, unless something else stands in its place: a link is not followed. Returns whether it did.
 * @throws UserError when it cannot be deleted
 */
export async function deleteRun({ folder }: RecordedRun): Promise<boolean> {
  try {
    if (!lstatSync(folder).isDirectory()) return false;
    await rm(folder, { recursive: true });
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw new UserError(`${folder} cannot be deleted: ${systemReason(error)}`, "delete it by hand", { cause: error });
  }
}
