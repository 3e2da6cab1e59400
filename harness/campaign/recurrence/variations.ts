import type { ClientPlan, Plan } from "../../core/plan.ts";
import type { Delays } from "./delays.ts";
import type { Trigger } from "../../core/trigger.ts";

/** With how many other seeds a counterexample is tried, and so what reports count. */
export const OTHER_SEEDS = 20;

/** How long each fault may take, in milliseconds: on real servers a fault takes effect only when it is done. */
const FAULT_MS = [0, 30, 60, 100, 150, 200, 300, 450];

/** How long messages take between containers, in microseconds. */
const MESSAGE_US = { from: 200, to: 2_000 };

/**
 * How much later than planned a client may begin: longer than the 40 ms by which small workloads keep clients apart, since the
 * first command of a real process may take that long.
 */
const LATE_START_MS = 60;

/** How many variations of a plan there are in all. */
export const VARIATIONS = OTHER_SEEDS + FAULT_MS.length;

/** A plan that should fail as another one does, and how long things take in its run that it does not say. */
export interface Variation {
  readonly plan: Plan;
  /** Default: nearly no time. */
  readonly delays?: Delays;
}

/** The same plan with the next seeds: with another jitter of the network and of retries, and other owner values. */
export function withOtherSeeds(plan: Plan, count: number = OTHER_SEEDS): readonly Variation[] {
  return Array.from({ length: count }, (_, index) => ({ plan: { ...plan, seed: plan.seed + index + 1 } }));
}

/**
 * The same plan with other seeds, at the speed of real servers: with slower messages, with faults that take longer and longer,
 * and with one client after another that begins late, since real processes do not start in the order of a list.
 */
export function atSpeedOfRealServers(plan: Plan): readonly Variation[] {
  return FAULT_MS.map((faultMs, index) => ({
    delays: { faultMs, messageUs: MESSAGE_US },
    plan: {
      ...plan,
      seed: plan.seed + index + 1,
      clients: plan.clients.map((client, number) =>
        number === index % (plan.clients.length + 1) ? beginningLate(client) : client,
      ),
    },
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
  return "atMs" in after ? { atMs: after.atMs + LATE_START_MS } : after;
}
