import type { Plan } from "../../core/plan.ts";
import type { Delays } from "./delays.ts";
import type { Judged } from "../run-campaign.ts";
import { isSameViolation } from "./same-violation.ts";
import type { Variation } from "./variations.ts";

/** A run whose violation may come again, and how to run other plans. */
export interface Counting<Run extends Judged> {
  readonly run: Run;
  readonly execute: (plan: Plan, delays?: Delays) => Promise<Judged>;
  /** The count ends early when it cannot reach this any more; it is then smaller. Default: 0, which counts all. */
  readonly atLeast?: number | undefined;
}

/**
 * In how many of the variations of its plan the violation of a run comes again: the same property, by the same cause.
 * @throws what `execute` throws
 */
export async function countRecurrences<Run extends Judged>(
  variations: readonly Variation[],
  { run, execute, atLeast = 0 }: Counting<Run>,
): Promise<number> {
  let again = 0;
  for (const [index, { plan, delays }] of variations.entries()) {
    if (again + variations.length - index < atLeast) break;
    if (isSameViolation(run.verdict, (await execute(plan, delays)).verdict)) again += 1;
  }
  return again;
}
