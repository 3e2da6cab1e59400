import type { Fault, FaultFocus } from "../../core/fault.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import type { Plan } from "../../core/plan.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import { dataNodes, RESOURCE } from "../../core/topology.ts";
import type { History } from "../../history/history.ts";
import { familiesOf, type Family, familyOfOneMessage, isBeside } from "../../../workloads/deviations/families.ts";
import { type DeviationMoment, momentsAtEvents, momentsOfMessage } from "../../../workloads/deviations/moments.ts";

/** A family at a moment of a run: a deviation without its length. */
export interface PlacedFamily extends Family {
  readonly moment: DeviationMoment;
  /** Its position among the families of its moment. */
  readonly rank: number;
}

interface Ran {
  readonly plan: Plan;
  readonly history: History;
  readonly messages: readonly WireMessage[];
}

interface FamilyScope {
  readonly faults: readonly Fault[];
  /** Whether a fault of one host is tried only where that host is about to go on. */
  readonly perHost: boolean;
}

/**
 * Every family of these faults at every moment of a run, in the order of time. An operation on the lock has the moments of
 * its messages; what exchanged none, as what is read from and written to the guarded resource, has its events.
 */
export function placedFamilies({ plan, history, messages }: Ran, scope: FamilyScope): readonly PlacedFamily[] {
  const spoken = new Set(messages.map(({ operation }) => operation));
  const silent = momentsAtEvents(history).filter(({ operation }) => !spoken.has(operation));
  const moments: readonly DeviationMoment[] = [...messages.flatMap(momentsOfMessage), ...silent];
  const inOrder = moments.toSorted((one, other) => one.atNs - other.atNs);
  return inOrder.flatMap((moment) =>
    placedAt(moment, plan, scope).map((family, rank): PlacedFamily => ({ ...family, moment, rank })),
  );
}

function placedAt(moment: DeviationMoment, plan: Plan, { faults, perHost }: FamilyScope): readonly Family[] {
  const all = faults.flatMap((fault) =>
    fociOf(moment, plan).flatMap((focus) => {
      const alone = familyOfOneMessage(fault, moment, focus);
      return [...familiesOf(fault, focus), ...(alone === undefined ? [] : [alone])];
    }),
  );
  const different = new Map(all.map((family) => [JSON.stringify([family.does, family.kind, family.params]), family]));
  return [...different.values()].filter(
    // The guarded resource is no process that a fault can hit.
    (family) => !family.hosts.includes(RESOURCE) && (!perHost || isBeside(moment, family)),
  );
}

/** What faults aim at: the server of the moment and, of independent servers, all of them together too. */
function fociOf({ client, server }: DeviationMoment, { topology, clients }: Plan): readonly FaultFocus[] {
  const isOneOfEqual = topologyOf(topology.kind).arrangement === "independent" && server !== RESOURCE;
  const aims = isOneOfEqual ? [[server], [...dataNodes(topology.kind)]] : [[server]];
  const leaseMs = Math.max(1, ...clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs)));
  return aims.map((servers) => ({ topology, clients: clients.length, client, servers, leaseMs }));
}

/** The plan with one deviation more: in force from the family's moment for `lengthMs`, where it has a length. */
export function deviate(plan: Plan, family: PlacedFamily, lengthMs: number | undefined): Plan {
  const step = family.stepAt(family.moment.trigger, family.hasLength ? lengthMs : undefined);
  return { ...plan, faults: [...plan.faults, step] };
}
