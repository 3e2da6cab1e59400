import type { ClientPlan, FaultStep, Plan } from "../../core/plan.ts";
import type { Trigger } from "../../core/trigger.ts";

/** With how many other seeds a counterexample is tried, and so what reports count. */
export const OTHER_SEEDS = 20;

/** How late each fault may be, in milliseconds: on real servers a fault takes effect only when it is done. */
const LATENESS_MS = [0, 30, 60, 100, 150, 200, 300, 450];

/**
 * How much later than planned a client may begin: longer than the 40 ms by which small workloads keep clients apart, since the
 * first command of a real process may take that long.
 */
const LATE_START_MS = 60;

/** How many variations of a plan there are in all. */
export const VARIATIONS = OTHER_SEEDS + LATENESS_MS.length;

/** The same plan with the next seeds: with another jitter of the network and of retries, and other owner values. */
export function withOtherSeeds(plan: Plan, count: number = OTHER_SEEDS): readonly Plan[] {
  return Array.from({ length: count }, (_, index) => ({ ...plan, seed: plan.seed + index + 1 }));
}

/**
 * The same plan with other seeds, with faults that come later and later, and with one client after another that begins
 * late: real servers and processes do not start in the order of a list.
 */
export function withLateFaults(plan: Plan): readonly Plan[] {
  return LATENESS_MS.map((lateMs, index) => ({
    ...plan,
    seed: plan.seed + index + 1,
    clients: plan.clients.map((client, number) =>
      number === index % (plan.clients.length + 1) ? beginningLate(client) : client,
    ),
    faults: plan.faults.map((step) => late(step, lateMs)),
  }));
}

function beginningLate(client: ClientPlan): ClientPlan {
  const sections = client.sections.map((section, place) =>
    place === 0 ? { ...section, after: lateStart(section.after) } : section,
  );
  return { ...client, sections };
}

/** A client that waits for an event comes after it in any case. */
function lateStart(after: Trigger = { atMs: 0 }): Trigger {
  return "atMs" in after ? later(after, LATE_START_MS) : after;
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
