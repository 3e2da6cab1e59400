import type { PlanInput } from "../harness/core/plan.ts";
import { type TopologyKind, topologyOf } from "../harness/core/topologies/registry.ts";

type ClientInput = PlanInput["clients"][number];
type StepInput = ClientInput["sections"][number]["steps"][number];

/** What tries, and pauses between them, add to the time for which clients hold, as a share of it. */
const BETWEEN_HOLDS = 0.25;

/**
 * When a drawn plan's run ends at the latest, in milliseconds: as a rule the limit of the topology's workloads, but late enough for
 * its clients to hold one after another, and for the longest fault. A run that ends before its clients are done decides nothing.
 */
export function limitForClients(kind: TopologyKind, clients: readonly ClientInput[]): number {
  const { limitMs, longestFaultMs } = topologyOf(kind).workload;
  const steps = clients.flatMap(({ sections }) => sections.flatMap((section) => section.steps));
  return Math.max(limitMs, Math.ceil(heldMs(steps) * (1 + BETWEEN_HOLDS)) + longestFaultMs);
}

/** For how long these steps hold on purpose. */
function heldMs(steps: readonly StepInput[]): number {
  return steps.reduce((sum, step) => {
    if (step.do === "hold") return sum + step.forMs;
    return step.do === "reenter" ? sum + heldMs(step.steps) : sum;
  }, 0);
}
