import type { FaultClass } from "../faults/registry.ts";
import type { TopologySpec } from "../harness/core/topology.ts";
import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import type { Cause, Property } from "../harness/core/verdict.ts";

// What a lock promises, as data. The harness proves or refutes every promise and trusts none.

export type Persistence = TopologySpec["persistence"];

/**
 * A promise: the property holds on this topology in a run without faults and in a run with one or more faults of the
 * kinds `under`, in any mix. Kinds named in different rows are not promised together.
 */
export interface Claim {
  readonly property: Property;
  readonly topology: TopologyKind;
  readonly under: readonly FaultClass[];
  /** Only where data nodes persist in one of these ways. Absent: however they persist. */
  readonly persistence?: readonly Persistence[];
  /** Why it should hold. */
  readonly because: string;
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
  /** The kinds of the plan's faults, each by its class. */
  readonly faults: readonly string[];
}

/** A node that comes back with an empty disk breaks another promise than one that keeps its disk. */
export const DISK_LOSS = "disk-loss" satisfies FaultClass;

/** The properties that are promised under all these circumstances. */
export function claimedProperties(claims: readonly Claim[], circumstances: Circumstances): readonly Property[] {
  const { topology, persistence, faults } = circumstances;
  const covering = claims.filter(
    (claim) =>
      claim.topology === topology &&
      (claim.persistence === undefined || claim.persistence.includes(persistence)) &&
      faults.every((fault) => claim.under.some((covered) => covered === fault)),
  );
  return [...new Set(covering.map(({ property }) => property))];
}

/** The limits that these circumstances can show. */
export function expectedLimits(limits: readonly Limit[], { topology, faults }: Circumstances): readonly Limit[] {
  return limits.filter(
    (limit) => limit.topology === topology && (limit.under === "none" || faults.includes(limit.under)),
  );
}
