import {
  endlessLimits,
  fenceLimits,
  leaseLimits,
  quorumFence,
  renewedLimits,
  soundFence,
  soundLeaseBehindSentinel,
  soundRenewal,
} from "../claim-tables.ts";
import type { Limit } from "../claims.ts";
import type { LockEntry } from "../lock-entry.ts";
import {
  leasedByQuorum,
  leasedInTurn,
  leasedOnOneServer,
  leasedTogether,
  type LockKind,
  sharedLease,
} from "../lock-kinds.ts";

/** The sound lock that a specimen would be without its bug. */
interface SpecimenKind extends LockKind, Pick<LockEntry, "reentrant" | "supports"> {
  /** The sound lock of this kind. */
  readonly sound: string;
}

export const plainLease: SpecimenKind = { ...leasedOnOneServer, sound: "single" };
/** Without an expiry: no clock ends it, and no lease does. */
export const endlessHold: SpecimenKind = {
  ...plainLease,
  limits: endlessLimits(plainLease.limits),
};
export const renewedLease: SpecimenKind = {
  ...plainLease,
  sound: "watchdog",
  renews: true,
  claims: [...plainLease.claims, ...soundRenewal().filter(({ topology }) => topology === "single")],
  limits: renewedLimits(plainLease.limits),
};
export const reentrantLease: SpecimenKind = { ...plainLease, sound: "reentrant", reentrant: true };
export const fencedLease: SpecimenKind = {
  ...plainLease,
  sound: "fenced",
  mintsFence: true,
  claims: [...plainLease.claims, ...soundFence("single")],
  limits: [...plainLease.limits, ...fenceLimits("single")],
};
export const quorumLease: SpecimenKind = { ...leasedByQuorum, sound: "redlock" };
export const fencedQuorum: SpecimenKind = {
  ...quorumLease,
  mintsFence: true,
  claims: [...quorumLease.claims, ...quorumFence()],
};
export const leaseBehindSentinel: SpecimenKind = {
  ...plainLease,
  topologies: ["sentinel"],
  claims: soundLeaseBehindSentinel(),
  limits: leaseLimits("sentinel"),
};

export const semaphoreOfLeases: SpecimenKind = { ...sharedLease, sound: "semaphore", supports: { permits: true } };
/** A semaphore whose permits do not expire. */
export const endlessPermits: SpecimenKind = {
  ...semaphoreOfLeases,
  limits: endlessHold.limits,
};
export const readersAndWriters: SpecimenKind = { ...sharedLease, sound: "read-write", supports: { modes: true } };

export const severalKeysTogether: SpecimenKind = {
  ...leasedTogether,
  sound: "several-keys",
  supports: { severalKeys: true },
};

/** One lock object, used by several requests of a process at a time. */
export const usedByRequests: SpecimenKind = { ...plainLease, sound: "reference", supports: { concurrent: true } };

export const servedInTurn: SpecimenKind = { ...leasedInTurn, sound: "fair", supports: { fair: true } };

/** The description of a specimen. */
interface Specimen extends Pick<LockEntry, "name" | "load"> {
  /** The bug, in one line. */
  readonly flaw: string;
  /**
   * How the bug shows: `property` is lost under each of the faults, by `cause`. The specimen's page shows the first
   * fault.
   */
  readonly shows: Omit<Limit, "topology" | "under"> & {
    readonly under: readonly [Limit["under"], ...Limit["under"][]];
  };
}

/** A specimen: a sound lock of some kind with one bug. */
export function specimen({ sound, ...kind }: SpecimenKind, { name, flaw, shows, load }: Specimen): LockEntry {
  const [topology = "single"] = kind.topologies;
  const { under, ...lost } = shows;
  return {
    ...kind,
    name,
    title: `flawed: ${flaw}`,
    flaw,
    flawed: true,
    load,
    limits: [...under.map((fault) => ({ ...lost, topology, under: fault })), ...kind.limits],
    lesson: {
      shows: { property: shows.property, topology, under: under[0] },
      fixedBy: sound,
      how: "The same lock without this bug.",
    },
  };
}
