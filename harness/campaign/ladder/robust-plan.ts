import fc from "fast-check";
import { contentionPlans } from "../../../workloads/contention.ts";
import type { FaultStep, Plan } from "../../core/plan.ts";
import type { Trigger } from "../../core/trigger.ts";
import { runSimulated } from "../run-simulated.ts";
import { type Cell, cellSource, JUDGED, titleOf } from "./cells.ts";
import { slowMotion } from "./slow-motion.ts";

/** How much slower plans run on real servers, which need some hundred milliseconds to die and to start again. */
const SLOWER = 4;
const PLANS = 400;
/** The most plans that break the lock to collect; the most robust one is taken. */
const CANDIDATES = 25;
/** How late each fault may be, in milliseconds: on real servers a fault takes effect only when it is done. */
const LATENESS_MS = [0, 30, 60, 100, 150, 200, 300, 450];

export interface RobustSearch {
  /** How many plans to draw. Default 400. */
  readonly plans?: number | undefined;
  /** Ends the search. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A plan in slow motion that breaks the cell in simulation even when details differ: with another seed, so with another
 * network, and with faults that come late. Real servers hardly ever show a violation that depends on a millisecond, as
 * those of shrunk counterexamples do.
 * @returns undefined when no plan breaks the cell
 * @throws InterruptedRunError when the signal came first; no simulation runs any more
 */
export async function robustPlan(
  cell: Cell,
  seed: number,
  { plans = PLANS, signal }: RobustSearch = {},
): Promise<Plan | undefined> {
  const breaks: Breaks = async (plan) => {
    const { record } = await runSimulated(plan, { title: titleOf(cell), required: JUDGED, signal });
    return record.verdict.verdict === "invalid";
  };
  let best: { readonly plan: Plan; readonly share: number } | undefined;
  let candidates = 0;
  for (const drawn of fc.sample(contentionPlans(cellSource(cell)), { seed, numRuns: plans })) {
    const plan = slowMotion(drawn, SLOWER) ?? drawn;
    if (!(await breaks(plan))) continue;
    candidates += 1;
    const share = await robustness(plan, best?.share ?? -1, breaks);
    if (best === undefined || share > best.share) best = { plan, share };
    if (share === LATENESS_MS.length || candidates === CANDIDATES) break;
  }
  return best?.plan;
}

/** Whether a plan breaks the cell. */
type Breaks = (plan: Plan) => Promise<boolean>;

/** How many of the variants break the cell. It stops counting when the count cannot exceed `toBeat`. */
async function robustness(plan: Plan, toBeat: number, breaks: Breaks): Promise<number> {
  let share = 0;
  for (const [index, lateMs] of LATENESS_MS.entries()) {
    if (share + LATENESS_MS.length - index <= toBeat) break;
    const other = { ...plan, seed: plan.seed + index + 1, faults: plan.faults.map((step) => late(step, lateMs)) };
    if (await breaks(other)) share += 1;
  }
  return share;
}

function late(step: FaultStep, lateMs: number): FaultStep {
  const { at, until } = step;
  return { ...step, at: later(at, lateMs), ...(until === undefined ? {} : { until: later(until, lateMs) }) };
}

function later(trigger: Trigger, lateMs: number): Trigger {
  if ("atMs" in trigger) return { atMs: trigger.atMs + lateMs };
  const { afterMs = 0 } = trigger;
  // A fault at an event is never late, because the client waits for it.
  return afterMs === 0 ? trigger : { ...trigger, afterMs: afterMs + lateMs };
}
