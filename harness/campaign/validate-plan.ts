import { faults } from "../../faults/registry.ts";
import { targetNames } from "../../faults/targets.ts";
import { findLock } from "../../lock-impl/registry.ts";
import { loadDriver } from "../client/load-driver.ts";
import { UserError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import { refuseImpossibleMessages } from "../core/messages/refuse-messages.ts";
import { PROXY_MOMENTS } from "../core/trigger.ts";
import { TOPOLOGIES, topologySchema } from "../core/topology.ts";
import { readyFaults } from "../run/nemesis.ts";

/**
 * Refuses a plan that would only fail later, in the middle of a run on containers.
 * @throws UserError when its lock cannot be loaded or does not run on its topology, when a fault cannot be read, has a
 * target that does not exist, or cannot happen to its target, or when a trigger waits for a message that cannot come
 */
export async function validatePlan(plan: Plan): Promise<void> {
  readyFaults(plan.faults, faults);
  refuseUnknownTargets(plan);
  refuseImpossible(plan);
  refuseImpossibleMessages(plan, PROXY_MOMENTS);
  await loadDriver(plan.lock);
  const entry = findLock(plan.lock);
  if (entry !== undefined && !entry.topologies.includes(plan.topology.kind)) {
    throw new UserError(
      `the lock ${plan.lock} does not run on the topology ${plan.topology.kind}`,
      `choose a lock that does, or the topology ${entry.topologies.join(" or ")}`,
    );
  }
}

function refuseImpossible({ topology, faults: steps }: Plan): void {
  for (const { kind, params } of steps) {
    const fault = faults.find((each) => each.kind === kind);
    const reason = fault?.unsupportedReason?.(topology, params);
    if (reason === undefined) continue;
    const elsewhere = TOPOLOGIES.filter(
      (other) => fault?.unsupportedReason?.(topologySchema.parse({ ...topology, kind: other }), params) === undefined,
    );
    const hint = elsewhere.length === 0 ? "" : `, or choose a topology that has it: ${elsewhere.join(", ")}`;
    throw new UserError(
      `the fault ${kind} cannot happen on ${topology.kind}: ${reason}`,
      `take it out of the plan${hint}`,
    );
  }
}

function refuseUnknownTargets({ topology, clients, faults: steps }: Plan): void {
  const known = targetNames(topology, clients.length);
  for (const { kind, params } of steps) {
    const targets: unknown[] = [params["targets"], params["between"]].flat(3);
    const unknown = targets.filter((target) => typeof target === "string").find((target) => !known.includes(target));
    if (unknown === undefined) continue;
    throw new UserError(
      `the fault ${kind} cannot hit "${unknown}": the plan has none`,
      `name one of ${known.join(", ")}`,
    );
  }
}
