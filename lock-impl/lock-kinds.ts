import {
  fenceLimits,
  leaseLimits,
  soundFence,
  soundLease,
  soundLeaseBehindSentinel,
  soundQueue,
  soundSeveralKeys,
} from "./claim-tables.ts";
import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import type { Limit } from "./claims.ts";
import type { LockEntry } from "./lock-entry.ts";

/** What locks of one kind share: where they run, what they give, what they promise, and how they are lost. */
export type LockKind = Pick<LockEntry, "topologies" | "flawed" | "mintsFence" | "renews" | "claims" | "limits">;

/** A lease on one server, or on the master that Sentinels name. */
export const leased = {
  topologies: ["single", "sentinel"],
  flawed: false,
  mintsFence: false,
  renews: false,
  claims: [...soundLease("single"), ...soundLeaseBehindSentinel()],
  limits: [...leaseLimits("single"), ...leaseLimits("sentinel")],
} as const satisfies LockKind;

/** A lease on one server only. */
export const leasedOnOneServer = {
  ...leased,
  topologies: ["single"],
  claims: soundLease("single"),
  limits: leaseLimits("single"),
} as const satisfies LockKind;

/**
 * A lease on one server that several clients may have at a time: of a semaphore or a read-write lock. Linearizability
 * is not decided for these.
 */
export const sharedLease = {
  ...leasedOnOneServer,
  claims: leasedOnOneServer.claims.filter(({ property }) => property !== "linearizability"),
} as const satisfies LockKind;

/** A lease that several clients may have at a time, on one server or on the master that Sentinels name. */
export const sharedLeaseAnywhere = {
  ...leased,
  claims: leased.claims.filter(({ property }) => property !== "linearizability"),
} as const satisfies LockKind;

/** A lease of several keys at once, on one server only. */
export const leasedTogether = {
  ...leasedOnOneServer,
  claims: [...leasedOnOneServer.claims, ...soundSeveralKeys("single")],
} as const satisfies LockKind;

/** A lease on one server that waiters are granted in the order in which they came. */
export const leasedInTurn = {
  ...leasedOnOneServer,
  claims: [...leasedOnOneServer.claims, ...soundQueue("single")],
} as const satisfies LockKind;

/** `leased`, and a fencing token from a counter beside the lock. */
export const fencedLease = {
  ...leased,
  mintsFence: true,
  claims: [...leased.claims, ...soundFence("single"), ...soundFence("sentinel")],
  limits: [...leased.limits, ...fenceLimits("single"), ...fenceLimits("sentinel")],
} as const satisfies LockKind;

/** A lease that a majority of independent masters grants. */
export const leasedByQuorum = {
  ...leased,
  topologies: ["redlock"],
  claims: soundLease("redlock"),
  limits: leaseLimits("redlock"),
} as const satisfies LockKind;

/** A lease of a Redlock implementation: of a majority of masters, or of one server, which is a majority of one. */
export const leasedByRedlock = {
  ...leased,
  topologies: ["single", "redlock"],
  claims: [...soundLease("single"), ...soundLease("redlock")],
  limits: [...leaseLimits("single"), ...leaseLimits("redlock")],
} as const satisfies LockKind;

/** The same limit on each of the topologies. */
export function limitsOn(topologies: readonly TopologyKind[], limit: Omit<Limit, "topology">): readonly Limit[] {
  return topologies.map((topology) => ({ ...limit, topology }));
}
