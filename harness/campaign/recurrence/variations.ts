import type { FaultStep, Plan } from "../../core/plan.ts";
import type { Trigger } from "../../core/trigger.ts";

/** With how many other seeds a counterexample is tried, and so what reports count. */
export const OTHER_SEEDS = 20;

/** How late each fault may be, in milliseconds: on real servers a fault takes effect only when it is done. */
const LATENESS_MS = [0, 30, 60, 100, 150, 200, 300, 450];

/** How many variations of a plan there are in all. */
export const VARIATIONS = OTHER_SEEDS + LATENESS_MS.length;

/** The same plan with the next seeds: with another jitter of the network and of retries, and other owner values. */
export function withOtherSeeds(plan: Plan, count: number = OTHER_SEEDS): readonly Plan[] {
  return Array.from({ length: count }, (_, index) => ({ ...plan, seed: plan.seed + index + 1 }));
}

/** The same plan with other seeds and with faults that come later and later, as on real servers. */
export function withLateFaults(plan: Plan): readonly Plan[] {
  return LATENESS_MS.map((lateMs, index) => ({
    ...plan,
    seed: plan.seed + index + 1,
    faults: plan.faults.map((step) => late(step, lateMs)),
  }));
}

function late(step: FaultStep, lateMs: number): FaultStep {
  const { at, until } = step;
  return { ...step, at: later(at, lateMs), ...(until === undefined ? {} : { until: later(until, lateMs) }) };
}

function later(trigger: Trigger, lateMs: number): Trigger {
  if ("atMs" in trigger) return { atMs: trigger.atMs + lateMs };
  const { afterMs = 0 } = trigger;
  // A fault at an event or a message is never late, because the client waits for it.
  return afterMs === 0 ? trigger : { ...trigger, afterMs: afterMs + lateMs };
}
