import type { Fault, FaultParams } from "../../core/fault.ts";
import { disturbsUntilHealed } from "../../core/fault-traits.ts";
import type { FaultStep, Plan } from "../../core/plan.ts";
import { RESOURCE } from "../../core/topology.ts";
import type { DeviationMoment } from "./moments.ts";

/** A deviation without its length: a fault with its parameters at a moment of a run. */
export interface Family {
  readonly kind: string;
  readonly params: FaultParams;
  readonly moment: DeviationMoment;
  /** Its position among the families of its moment. */
  readonly rank: number;
  /** False for a fault that is over at once, or never: such a family is one schedule. */
  readonly hasLength: boolean;
}

export interface FamilyScope {
  readonly plan: Plan;
  readonly faults: readonly Fault[];
  /** Whether a fault of one host is tried only where that host is about to go on. */
  readonly perHost: boolean;
}

/**
 * Every deviation of these faults at every moment, in the order of time.
 *
 * With `perHost`, a fault of a client's process is tried where that client is about to send or to read, one of a server
 * where that server is about to apply or to answer, one of the network between them where either has sent. This is
 * sound: an event belongs to one host, so a fault of this host between two of its own inputs is the same fault wherever
 * between them it strikes.
 */
export function familiesOf(moments: readonly DeviationMoment[], scope: FamilyScope): readonly Family[] {
  const inOrder = moments.toSorted((one, other) => one.atNs - other.atNs);
  return inOrder.flatMap((moment) => familiesAt(moment, scope).map((family, rank) => ({ ...family, rank })));
}

function familiesAt(moment: DeviationMoment, { plan, faults, perHost }: FamilyScope): readonly Omit<Family, "rank">[] {
  const { client, server } = moment;
  const { topology, clients } = plan;
  const focus = { topology, clients: clients.length, client, servers: [server], leaseMs: longestLeaseMs(plan) };
  return faults.flatMap((fault) => {
    const hasLength = disturbsUntilHealed(fault.traits);
    return (fault.choices?.(focus) ?? []).flatMap((params) => {
      const hit = hostsHit(params);
      // The guarded resource is no process that a fault can hit.
      if (hit.includes(RESOURCE)) return [];
      if (perHost && moment.of !== "both" && !isBeside(moment, hit)) return [];
      return [{ kind: fault.kind, params, moment, hasLength }];
    });
  });
}

/** Whether a fault that hits these is distinguishable, at this moment, from the same fault a moment later. */
function isBeside({ of, client }: DeviationMoment, hit: readonly string[]): boolean {
  if (hit.length === 0) return true;
  return of === (hit.length === 1 && hit[0] === client ? "client" : "server");
}

/** The targets of a fault of processes; a fault of links has none. */
function hostsHit({ targets }: FaultParams): readonly string[] {
  return Array.isArray(targets) ? targets.map(String) : [];
}

function longestLeaseMs({ clients }: Plan): number {
  return Math.max(1, ...clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs)));
}

/** The plan with one deviation more: in force from the family's moment for `lengthMs`, where it has a length. */
export function deviate(plan: Plan, { kind, params, moment, hasLength }: Family, lengthMs: number | undefined): Plan {
  const fault: FaultStep = {
    kind,
    params: structuredClone(params),
    at: moment.trigger,
    ...(hasLength && lengthMs !== undefined
      ? { until: { on: "fault:start", fault: plan.faults.length, afterMs: lengthMs } }
      : {}),
  };
  return { ...plan, faults: [...plan.faults, fault] };
}
