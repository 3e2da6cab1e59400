import fc from "fast-check";
import type { FaultStep, Plan } from "../../core/plan.ts";
import type { Trigger } from "../../core/trigger.ts";
import { runSimulated } from "../run-simulated.ts";
import { type Cell, cellPlans, titleOf } from "./cells.ts";
import { slowMotion } from "./slow-motion.ts";

/** How much slower real servers are given a plan: theirs need some hundred milliseconds to die and to start again. */
const SLOWER = 4;
const PLANS = 400;
/** Plans that break the lock, at most, of which the most robust is taken. */
const CANDIDATES = 25;
/** By how much each fault may be late, in milliseconds: on real servers it takes effect when it is done. */
const LATENESS_MS = [0, 30, 60, 100, 150, 200, 300, 450];

/**
 * The plan in slow motion that breaks the cell in simulation whatever little things go otherwise: with another seed, so
 * with another network, and with faults that come late. What hangs on a millisecond, as shrunk counterexamples do,
 * real servers hardly ever show.
 * @returns undefined when no plan breaks the cell
 */
export async function robustPlan(cell: Cell, seed: number): Promise<Plan | undefined> {
  let best: { readonly plan: Plan; readonly share: number } | undefined;
  let candidates = 0;
  for (const drawn of fc.sample(cellPlans(cell), { seed, numRuns: PLANS })) {
    const plan = slowMotion(drawn, SLOWER) ?? drawn;
    if (!(await breaks(cell, plan))) continue;
    candidates += 1;
    const share = await robustness(cell, plan);
    if (best === undefined || share > best.share) best = { plan, share };
    if (share === LATENESS_MS.length || candidates === CANDIDATES) break;
  }
  return best?.plan;
}

async function robustness(cell: Cell, plan: Plan): Promise<number> {
  let share = 0;
  for (const [index, lateMs] of LATENESS_MS.entries()) {
    const other = { ...plan, seed: plan.seed + index + 1, faults: plan.faults.map((step) => late(step, lateMs)) };
    if (await breaks(cell, other)) share += 1;
  }
  return share;
}

async function breaks(cell: Cell, plan: Plan): Promise<boolean> {
  const { record } = await runSimulated(plan, { title: titleOf(cell), required: cell.promised });
  return record.verdict.verdict === "invalid";
}

function late(step: FaultStep, lateMs: number): FaultStep {
  const { at, until } = step;
  return { ...step, at: later(at, lateMs), ...(until === undefined ? {} : { until: later(until, lateMs) }) };
}

function later(trigger: Trigger, lateMs: number): Trigger {
  if ("atMs" in trigger) return { atMs: trigger.atMs + lateMs };
  const { afterMs = 0 } = trigger;
  // At the event itself the client waits for the fault: it is never late.
  return afterMs === 0 ? trigger : { ...trigger, afterMs: afterMs + lateMs };
}
