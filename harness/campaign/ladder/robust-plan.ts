import fc from "fast-check";
import { contentionPlans } from "../../../workloads/contention.ts";
import type { Plan } from "../../core/plan.ts";
import type { Delays } from "../recurrence/delays.ts";
import { countRecurrences } from "../recurrence/count-recurrences.ts";
import { slowMotion } from "../recurrence/slow-motion.ts";
import { atSpeedOfRealServers } from "../recurrence/variations.ts";
import type { Judged } from "../run-campaign.ts";
import { runSimulated } from "../run-simulated.ts";
import { type Cell, cellSource, JUDGED, titleOf } from "./cells.ts";

/** How much slower plans run on real servers, which need some hundred milliseconds to die and to start again. */
const SLOWER = 4;
const PLANS = 400;
/** The most plans that break the lock to collect; the most robust one is taken. */
const CANDIDATES = 25;
export interface RobustSearch {
  /** How many plans to draw. Default 400. */
  readonly plans?: number | undefined;
  /** Ends the search. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A plan in slow motion that breaks the cell in simulation even when details differ: with another seed, so with another
 * network, and at the speed of real servers. Those hardly ever show a violation that depends on a millisecond, as
 * those of shrunk counterexamples do.
 * @returns undefined when no plan breaks the cell
 * @throws InterruptedRunError when the signal came first; no simulation runs any more
 */
export async function robustPlan(
  cell: Cell,
  seed: number,
  { plans = PLANS, signal }: RobustSearch = {},
): Promise<Plan | undefined> {
  const execute = async (plan: Plan, delays?: Delays): Promise<Judged> => {
    const { record } = await runSimulated(plan, { title: titleOf(cell), required: JUDGED, delays, signal });
    return { plan, verdict: record.verdict };
  };
  let best: { readonly plan: Plan; readonly again: number } | undefined;
  let candidates = 0;
  for (const drawn of fc.sample(contentionPlans(cellSource(cell)), { seed, numRuns: plans })) {
    const plan = slowMotion(drawn, SLOWER) ?? drawn;
    const run = await execute(plan);
    if (run.verdict.verdict !== "invalid") continue;
    candidates += 1;
    const variations = atSpeedOfRealServers(plan);
    const again = await countRecurrences(variations, { run, execute, atLeast: (best?.again ?? -1) + 1 });
    if (best === undefined || again > best.again) best = { plan, again };
    if (again === variations.length || candidates === CANDIDATES) break;
  }
  return best?.plan;
}
