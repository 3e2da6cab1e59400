import { faults } from "../../faults/registry.ts";
import type { Fault } from "../core/fault.ts";
import type { Plan } from "../core/plan.ts";
import { hintFor } from "../core/words/did-you-mean.ts";
import { UserError } from "../core/errors.ts";
import { TOPOLOGIES, topologySchema, type TopologySpec } from "../core/topology.ts";
import type { Backend } from "../core/topologies/backend.ts";

/** Why plans for this topology cannot contain the fault; undefined where they can. */
export function whyNotDrawn(fault: Fault, topology: TopologySpec): string | undefined {
  const reason = fault.unsupportedReason?.(topology);
  if (reason !== undefined) return reason;
  return fault.arbitrary(topology, 2) === undefined
    ? "it is only for hand-written plans, and hunts never generate it"
    : undefined;
}

/**
 * Refuses a requested fault that cannot happen on a topology: its runs would prove nothing.
 * @throws UserError naming the fault, the topology and those that have it
 */
export function refuseImpossibleFault(kind: string, topology: TopologySpec): void {
  const fault = faults.find((each) => each.kind === kind);
  const why = fault === undefined ? undefined : whyNotDrawn(fault, topology);
  if (fault === undefined || why === undefined) return;
  const { persistence } = topology;
  const elsewhere = TOPOLOGIES.filter(
    (each) => whyNotDrawn(fault, topologySchema.parse({ kind: each, persistence })) === undefined,
  );
  throw new UserError(
    `the fault ${kind} cannot happen on ${topology.kind}: ${why}`,
    elsewhere.length === 0 ? "leave it out" : `leave it out, or choose a topology that has it: ${elsewhere.join(", ")}`,
  );
}

/**
 * The faults of these kinds, or all that the backend and the topology have.
 * @throws UserError when a requested fault does not exist or is not available there
 */
export function faultsFor(
  kinds: readonly string[] | undefined,
  backend: Backend,
  topology: TopologySpec,
): readonly Fault[] {
  const wanted = kinds === undefined ? faults : faults.filter(({ kind }) => kinds.includes(kind));
  const possible = wanted.filter(
    (fault) =>
      (backend === "simulated" || fault.onlyInSimulation !== true) && whyNotDrawn(fault, topology) === undefined,
  );
  for (const kind of kinds ?? []) {
    mustBeFault(kind);
    refuseImpossibleFault(kind, topology);
  }
  const unreachable = kinds === undefined ? undefined : wanted.find((fault) => !possible.includes(fault));
  if (unreachable === undefined) return possible;
  throw new UserError(`the fault ${unreachable.kind} cannot be injected on containers`, "leave it out, or simulate");
}

/** @throws UserError when containers skip a fault of the plan: its run there would say nothing about the rest */
export function refuseSimulatedFaults(plan: Plan): void {
  const simulated: readonly string[] = faults
    .filter((fault) => fault.onlyInSimulation === true)
    .map(({ kind }) => kind);
  const [step] = plan.faults.filter(({ kind }) => simulated.includes(kind));
  if (step !== undefined) {
    throw new UserError(`the fault ${step.kind} cannot be injected on containers`, "replay the plan in simulation");
  }
}

/** @throws UserError when there is no fault of this kind, naming the existing ones */
export function mustBeFault(kind: string): void {
  if (faults.some((fault) => fault.kind === kind)) return;
  const kinds = faults.map((fault) => fault.kind);
  throw new UserError(`there is no fault "${kind}"`, hintFor(kind, kinds, { verb: "choose from" }));
}
