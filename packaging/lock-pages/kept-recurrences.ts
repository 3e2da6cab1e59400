import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Recurrence, recurrenceSchema } from "../../harness/core/recurrence.ts";
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
 * How often the violation of a lock's counterexample comes again: counted anew with other seeds; what real servers showed
 * stays as long as the plan does.
 */
export async function recurrenceOf(
  lock: LockEntry,
  run: LimitRun,
  { kept, isSamePlan }: { readonly kept: Recurrence | undefined; readonly isSamePlan: boolean },
): Promise<Recurrence> {
  const { realServers } = kept ?? {};
  return {
    otherSeeds: await countOtherSeeds(lock, run),
    ...(isSamePlan && realServers !== undefined ? { realServers } : {}),
  };
}

async function countOtherSeeds(lock: LockEntry, run: LimitRun): Promise<NonNullable<Recurrence["otherSeeds"]>> {
  const variations = withOtherSeeds(run.plan);
  const failed = await countRecurrences(variations, {
    run,
    execute: (plan) => runForLimit(lock, lock.lesson.shows, plan),
  });
  return { failed, of: variations.length };
}
