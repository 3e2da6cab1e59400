import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Recurrence, type RecurrenceCount, recurrenceSchema } from "../../harness/core/recurrence.ts";
import { withOtherSeeds } from "../../harness/campaign/recurrence/variations.ts";
import { countRecurrences } from "../../harness/campaign/recurrence/count-recurrences.ts";
import { type LimitRun, runForLimit } from "../../harness/campaign/limit-search.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";

/** The file with how often the violation of each lock's counterexample came again, relative to the project's root. */
export const RECURRENCES = "docs/locks/plans/recurrences.json";

const schema = z.record(z.string(), recurrenceSchema);

/** How often the violation of each lock's counterexample came again, as it was counted last. `root` is the project's. */
export function keptRecurrences(root: string): Readonly<Record<string, Recurrence>> {
  const path = join(root, RECURRENCES);
  return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, "utf8"))) : {};
}

/**
 * How often the violation of a lock's counterexample comes again: counted again with other seeds; `realServers` is what
 * real servers showed of this plan, if they were asked.
 */
export async function recurrenceOf(
  lock: LockEntry,
  run: LimitRun,
  realServers: RecurrenceCount | undefined,
): Promise<Recurrence> {
  const otherSeeds = await countOtherSeeds(lock, run);
  return realServers === undefined ? { otherSeeds } : { otherSeeds, realServers };
}

/** With how many other seeds the violation of a lock's counterexample comes again. */
export async function countOtherSeeds(lock: LockEntry, run: LimitRun): Promise<RecurrenceCount> {
  const variations = withOtherSeeds(run.plan);
  const failed = await countRecurrences(variations, {
    run,
    execute: (plan) => runForLimit(lock, lock.lesson.shows, plan),
  });
  return { failed, of: variations.length };
}
