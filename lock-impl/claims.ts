/**
 * What a lock promises, as data. The harness proves or refutes it; nothing here is taken on trust.
 * Properties are the ids of the verdict; kinds of faults are the ids of the fault registry.
 */
export type TopologyName = "single" | "sentinel" | "redlock" | "postgres" | "zookeeper";
export type Persistence = "none" | "everysec" | "always";

/**
 * A promise: the property holds on this topology in a run without faults and in a run with faults of the kinds `under`,
 * one or many of them, mixed as they come. Kinds that are named in different rows are not promised together.
 */
export interface Claim {
  readonly property: string;
  readonly topology: TopologyName;
  readonly under: readonly string[];
  /** Only where data nodes persist so. Absent: whatever they persist. */
  readonly persistence?: readonly Persistence[];
  /** Why it should hold. */
  readonly because: string;
}

/** A known limit: faults of the kind `under` (`none`: no fault at all) can break the property, and by this cause. */
export interface Limit {
  readonly property: string;
  readonly topology: TopologyName;
  readonly under: string;
  readonly cause: string;
  /** Who says so, or which scenario of the catalogue shows it. */
  readonly source: string;
}

/** What a run does to a lock, as far as claims care. */
export interface Circumstances {
  readonly topology: TopologyName;
  readonly persistence: Persistence;
  /** The kinds of the plan's faults, each by `faultClass`. */
  readonly faults: readonly string[];
}

/** A node that comes back with an empty disk has broken another promise than one that keeps its disk. */
export const DISK_LOSS = "disk-loss";

/** The kind under which claims know a fault: its own, but `disk-loss` for a node restarted with an empty disk. */
export function faultClass(kind: string, params: Readonly<Record<string, unknown>> = {}): string {
  return kind === "restart-node" && params["keepData"] === false ? DISK_LOSS : kind;
}

/** The properties that are promised under all these circumstances. */
export function claimedProperties(claims: readonly Claim[], circumstances: Circumstances): readonly string[] {
  const { topology, persistence, faults } = circumstances;
  const covering = claims.filter(
    (claim) =>
      claim.topology === topology &&
      (claim.persistence === undefined || claim.persistence.includes(persistence)) &&
      faults.every((fault) => claim.under.includes(fault)),
  );
  return [...new Set(covering.map(({ property }) => property))];
}

/** The limits that these circumstances can show. */
export function expectedLimits(limits: readonly Limit[], { topology, faults }: Circumstances): readonly Limit[] {
  return limits.filter(
    (limit) => limit.topology === topology && (limit.under === "none" || faults.includes(limit.under)),
  );
}
