import type { FaultClass } from "../faults/registry.ts";
import type { FaultEffect } from "../harness/core/fault-traits.ts";
import type { TopologySpec } from "../harness/core/topology.ts";
import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import type { Cause, Property } from "../harness/core/verdict.ts";

// What a lock promises, as data. The harness proves or refutes every promise and trusts none.

export type Persistence = TopologySpec["persistence"];

/**
 * A promise: the property holds on this topology in a run without faults and in a run with one or more faults that do
 * nothing but `under`, in any mix. Effects listed in different rows are not promised together.
 */
export interface Claim {
  readonly property: Property;
  readonly topology: TopologyKind;
  readonly under: readonly FaultEffect[];
  /** Only where data nodes persist in one of these ways. Absent: however they persist. */
  readonly persistence?: readonly Persistence[];
  /** Why it should hold. */
  readonly because: string;
}

/** A promise that a worker file states. It lists the names of faults. */
export interface StatedClaim extends Omit<Claim, "under"> {
  readonly under: readonly string[];
}

/** A known limit: faults of the kind `under` (`none`: no fault at all) can break the property, and by this cause. */
export interface Limit {
  readonly property: Property;
  readonly topology: TopologyKind;
  readonly under: FaultClass | "none";
  readonly cause: Cause;
  /** Who says so, or which scenario of the catalogue shows it. */
  readonly source: string;
}

/** The parts of a run that claims depend on. */
export interface Circumstances {
  readonly topology: TopologyKind;
  readonly persistence: Persistence;
  /** The plan's faults: the name of each in limits, and all that it does. */
  readonly faults: readonly { readonly name: string; readonly effects: readonly FaultEffect[] }[];
}

/** A node that comes back with an empty disk breaks another promise than one that keeps its disk. */
export const DISK_LOSS = "disk-loss" satisfies FaultClass;

/** The properties that are promised under all these circumstances. */
export function claimedProperties(
  claims: readonly (Claim | StatedClaim)[],
  circumstances: Circumstances,
): readonly Property[] {
  const { topology, persistence, faults } = circumstances;
  const covering = claims.filter(
    (claim) =>
      claim.topology === topology &&
      (claim.persistence === undefined || claim.persistence.includes(persistence)) &&
      faults.every((fault) => covers(claim.under, fault)),
  );
  return [...new Set(covering.map(({ property }) => property))];
}

function covers(under: readonly string[], { name, effects }: Circumstances["faults"][number]): boolean {
  return under.includes(name) || effects.every((effect) => under.includes(effect));
}

/** The limits that these circumstances can show. */
export function expectedLimits(limits: readonly Limit[], { topology, faults }: Circumstances): readonly Limit[] {
  return limits.filter(
    (limit) =>
      limit.topology === topology && (limit.under === "none" || faults.some(({ name }) => name === limit.under)),
  );
}
