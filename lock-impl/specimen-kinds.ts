import {
  fenceLimits,
  leaseLimits,
  quorumFence,
  renewedLimits,
  soundFence,
  soundLease,
  soundLeaseBehindSentinel,
  soundRenewal,
} from "./claim-tables.ts";
import type { Limit } from "./claims.ts";
import type { LockEntry } from "./lock-entry.ts";

type Row = Pick<LockEntry, "topologies" | "mintsFence" | "renews" | "reentrant" | "claims" | "limits">;

/** What a specimen would be without its bug. */
interface Kind extends Row {
  /** The sound lock of this kind. */
  readonly sound: string;
}

export const leased: Kind = {
  sound: "single",
  topologies: ["single"],
  mintsFence: false,
  renews: false,
  claims: soundLease("single"),
  limits: leaseLimits("single"),
};
/** Without an expiry: no clock ends it, and no lease does. */
export const unending: Kind = {
  ...leased,
  limits: leased.limits.filter(({ under }) => under !== "none" && !under.startsWith("clock-")),
};
export const renewed: Kind = {
  ...leased,
  sound: "watchdog",
  renews: true,
  claims: [...leased.claims, ...soundRenewal().filter(({ topology }) => topology === "single")],
  limits: renewedLimits(leased.limits),
};
export const reentrant: Kind = { ...leased, sound: "reentrant", reentrant: true };
export const fenced: Kind = {
  ...leased,
  sound: "fenced",
  mintsFence: true,
  claims: [...leased.claims, ...soundFence("single")],
  limits: [...leased.limits, ...fenceLimits("single")],
};
export const quorum: Kind = {
  ...leased,
  sound: "redlock",
  topologies: ["redlock"],
  claims: soundLease("redlock"),
  limits: leaseLimits("redlock"),
};
export const quorumWithFence: Kind = {
  ...quorum,
  mintsFence: true,
  claims: [...quorum.claims, ...quorumFence()],
};
export const behindSentinel: Kind = {
  ...leased,
  topologies: ["sentinel"],
  claims: soundLeaseBehindSentinel(),
  limits: leaseLimits("sentinel"),
};

/** How a bug shows: `property` is lost under each of the faults, by `cause`. The first fault is what its page shows. */
type Shows = Omit<Limit, "topology" | "under"> & { readonly under: readonly [string, ...string[]] };

/** A specimen: a sound lock of some kind, but for one bug. */
export function specimen(
  { sound, ...kind }: Kind,
  name: string,
  flaw: string,
  { under, ...shows }: Shows,
  load: LockEntry["load"],
): LockEntry {
  const [topology = "single"] = kind.topologies;
  return {
    ...kind,
    name,
    title: `flawed: ${flaw}`,
    flaw,
    flawed: true,
    load,
    limits: [...under.map((fault) => ({ ...shows, topology, under: fault })), ...kind.limits],
    lesson: {
      shows: { property: shows.property, topology, under: under[0] },
      mendedBy: sound,
      how: "It is the same lock without this bug.",
    },
  };
}
