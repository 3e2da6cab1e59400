import {
  bareKeyClaims,
  delayedRestart,
  fenceLimits,
  leaseLimits,
  renewedLimits,
  soundFence,
  soundLease,
  soundLeaseBehindSentinel,
  soundRenewal,
} from "./claim-tables.ts";
import type { Limit } from "./claims.ts";
import type { LockEntry } from "./lock-entry.ts";

/** What most rungs have in common: a lease on one server, perhaps behind Sentinels. */
const leased = {
  topologies: ["single", "sentinel"],
  flawed: false,
  mintsFence: false,
  renews: false,
  claims: [...soundLease("single"), ...soundLeaseBehindSentinel()],
  limits: [...leaseLimits("single"), ...leaseLimits("sentinel")],
} as const satisfies Partial<LockEntry>;

/** The same where a bug has nothing to do with Sentinels: one row of the table says it all. */
const onOneServer = {
  ...leased,
  topologies: ["single"],
  claims: soundLease("single"),
  limits: leaseLimits("single"),
} as const satisfies Partial<LockEntry>;

const fenced = {
  ...leased,
  mintsFence: true,
  claims: [...leased.claims, ...soundFence("single"), ...soundFence("sentinel")],
  limits: [...leased.limits, ...fenceLimits("single"), ...fenceLimits("sentinel")],
} as const satisfies Partial<LockEntry>;

const quorum = {
  ...leased,
  topologies: ["redlock"],
  claims: soundLease("redlock"),
  limits: leaseLimits("redlock"),
} as const satisfies Partial<LockEntry>;

/** How a bug shows, on one server and behind Sentinels alike. */
function flaw(shows: Omit<Limit, "topology">): readonly Limit[] {
  return leased.topologies.map((topology) => ({ ...shows, topology }));
}

/** The rungs of the ladder, each with what the next one mends. */
export const ladder: readonly LockEntry[] = [
  {
    ...leased,
    name: "setnx",
    title: "SETNX and DEL, no expiry",
    topologies: ["single"],
    load: async () => (await import("./flawed/setnx.ts")).driver,
    flawed: true,
    flaw: "a holder that dies is never followed by another",
    claims: bareKeyClaims("single"),
    limits: [
      {
        property: "deadlock-freedom",
        topology: "single",
        under: "kill-client",
        cause: "never-freed",
        source: "redis.io, SETNX",
      },
    ],
    lesson: {
      shows: { property: "deadlock-freedom", topology: "single", under: "kill-client" },
      mendedBy: "setnx-expire",
      how: "An expiry frees the lock of a holder that died.",
    },
  },
  {
    ...leased,
    name: "setnx-expire",
    title: "SETNX, then EXPIRE",
    load: async () => (await import("./flawed/setnx-expire.ts")).driver,
    flawed: true,
    flaw: "a client that dies between SETNX and EXPIRE leaves a lock that never expires",
    limits: [
      ...flaw({
        property: "deadlock-freedom",
        under: "kill-client",
        cause: "never-freed",
        source: "setnx-expire-crash",
      }),
      ...leased.limits,
    ],
    lesson: {
      shows: { property: "deadlock-freedom", topology: "single", under: "kill-client" },
      mendedBy: "set-px",
      how: "SET NX PX takes the lock and sets its expiry in one step.",
    },
  },
  {
    ...leased,
    name: "set-px",
    title: "SET NX PX, freed by a plain DEL",
    load: async () => (await import("./flawed/set-px.ts")).driver,
    flawed: true,
    flaw: "a holder whose lease has ended deletes the lock of the next",
    limits: [
      ...flaw({ property: "owner-release", under: "none", cause: "foreign-release", source: "plain-del" }),
      ...flaw({ property: "lease-exclusion", under: "none", cause: "foreign-release", source: "plain-del" }),
      ...leased.limits,
    ],
    lesson: {
      shows: { property: "owner-release", topology: "single", under: "none" },
      mendedBy: "get-del",
      how: "The key carries its owner, and whoever frees it looks first whose it is.",
    },
  },
  {
    ...leased,
    name: "get-del",
    title: "SET NX PX with an owner value, freed by GET and DEL",
    load: async () => (await import("./flawed/get-del.ts")).driver,
    flawed: true,
    flaw: "between GET and DEL the lock can become another's, and is deleted",
    limits: [
      ...flaw({ property: "linearizability", under: "latency", cause: "unexplained", source: "get-del-race" }),
      ...leased.limits,
    ],
    lesson: {
      shows: { property: "linearizability", topology: "single", under: "latency" },
      mendedBy: "single",
      how: "A script compares and deletes in one step.",
    },
  },
  {
    ...onOneServer,
    name: "owner-value-fixed",
    title: "single, with one owner value per client",
    load: async () => (await import("./flawed/owner-value-fixed.ts")).driver,
    flawed: true,
    flaw: "a release that arrives late deletes the client's next hold",
    limits: [
      {
        property: "lease-exclusion",
        topology: "single",
        under: "latency",
        cause: "foreign-release",
        source: "owner-value-reuse",
      },
      ...onOneServer.limits,
    ],
    lesson: {
      shows: { property: "lease-exclusion", topology: "single", under: "latency" },
      mendedBy: "single",
      how: "Each acquisition has an owner value of its own, so that nothing late can meet a later hold.",
    },
  },
  {
    ...leased,
    name: "single",
    title: "SET NX PX with a fresh owner value, compare-and-delete in Lua",
    load: async () => (await import("./rungs/single.ts")).driver,
    lesson: {
      shows: { property: "mutual-exclusion", topology: "single", under: "none" },
      mendedBy: "watchdog",
      how: "A lease that is renewed lasts as long as the work, and a holder that cannot renew it is told in time.",
    },
  },
  {
    ...leased,
    name: "watchdog",
    title: "single, renewed every third of its lease; on loss the holder is told",
    load: async () => (await import("./rungs/watchdog.ts")).driver,
    renews: true,
    claims: [...leased.claims, ...soundRenewal()],
    limits: renewedLimits(leased.limits),
    lesson: {
      shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
      mendedBy: "fenced",
      how: "Nobody can tell a client that does not run. The resource can refuse what it writes when it wakes up.",
    },
  },
  {
    ...leased,
    name: "watchdog-check-at-unlock",
    title: "single, renewed every third of its lease; on loss the holder finds out when it unlocks",
    load: async () => (await import("./rungs/watchdog-check-at-unlock.ts")).driver,
    renews: true,
    limits: [
      {
        property: "mutual-exclusion",
        topology: "single",
        under: "partition",
        cause: "overrun",
        source: "watchdog-silent",
      },
      ...renewedLimits(leased.limits),
    ],
    lesson: {
      shows: { property: "mutual-exclusion", topology: "single", under: "partition" },
      mendedBy: "watchdog",
      how: "The holder is told while its lease still lasts, not when it is done.",
    },
  },
  {
    ...leased,
    name: "reentrant",
    title: "a hash that counts its owner's entries; each outermost hold is a generation of its own",
    load: async () => (await import("./rungs/reentrant.ts")).driver,
    reentrant: true,
    lesson: {
      shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
      mendedBy: "fenced",
      how: "The resource refuses the late write of a holder that slept through the end of its lease.",
    },
  },
  {
    ...onOneServer,
    name: "reentrant-naive",
    title: "a hash that counts its owner's entries; one owner per client",
    load: async () => (await import("./flawed/reentrant-naive.ts")).driver,
    reentrant: true,
    flawed: true,
    flaw: "an inner unlock, after the outer hold was lost, frees what the outer section believes to hold",
    limits: [
      {
        property: "lease-exclusion",
        topology: "single",
        under: "none",
        cause: "double-grant",
        source: "reentry-miscount",
      },
      ...onOneServer.limits,
    ],
    lesson: {
      shows: { property: "lease-exclusion", topology: "single", under: "none" },
      mendedBy: "reentrant",
      how: "Each outermost hold is a generation: an inner entry or unlock counts for its own hold only.",
    },
  },
  {
    ...fenced,
    name: "fenced",
    title: "single, and a fencing token minted in the acquire script",
    load: async () => (await import("./rungs/fenced.ts")).driver,
    lesson: {
      shows: { property: "fencing-tokens", topology: "sentinel", under: "failover" },
      mendedBy: "replicated",
      how: "A grant counts only when replicas have it, with its fencing token. That narrows the gap and does not close it.",
    },
  },
  {
    ...fenced,
    name: "reference",
    title: "fenced, announced when free, asked for again when a reply was lost",
    load: async () => (await import("./rungs/reference.ts")).driver,
    lesson: {
      shows: { property: "lease-exclusion", topology: "sentinel", under: "failover" },
      mendedBy: "replicated",
      how: "A grant counts only when replicas have it. That narrows the gap and does not close it.",
    },
  },
  {
    ...fenced,
    name: "replicated",
    title: "fenced, granted only when WAIT says that a majority of the servers has it",
    topologies: ["sentinel"],
    load: async () => (await import("./rungs/replicated.ts")).driver,
    claims: fenced.claims.filter(({ topology }) => topology === "sentinel"),
    limits: fenced.limits.filter(({ topology }) => topology === "sentinel"),
    lesson: {
      shows: { property: "lease-exclusion", topology: "sentinel", under: "partition" },
      mendedBy: "redlock",
      how: "There is no master to lose: a majority of independent servers grants the lock.",
    },
  },
  {
    ...quorum,
    name: "redlock",
    title: "Redlock on N masters, as redis.io specifies it",
    load: async () => (await import("./rungs/redlock.ts")).driver,
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
      mendedBy: "redlock-fsync",
      how: "Servers that sync each write come back with every lock that they granted.",
    },
  },
  {
    ...quorum,
    name: "redlock-delayed-restart",
    title: "redlock, on servers that take part only when they have been up for longer than any lease",
    load: async () => (await import("./rungs/redlock-delayed-restart.ts")).driver,
    claims: [...soundLease("redlock"), ...delayedRestart()],
    limits: leaseLimits("redlock").filter(({ cause }) => cause !== "lost-in-restart"),
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "clock-jump" },
      how: "No lock with leases by the wall clock survives this: do not step clocks, or take the lock and its fencing token from a store that reaches consensus.",
    },
  },
  {
    ...quorum,
    name: "redlock-fsync",
    title: "redlock, on servers that sync each write before they acknowledge it",
    persistence: "always",
    load: async () => (await import("./rungs/redlock-fsync.ts")).driver,
    limits: leaseLimits("redlock").filter(({ cause, under }) => cause !== "lost-in-restart" || under === "disk-loss"),
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "disk-loss" },
      mendedBy: "redlock-delayed-restart",
      how: "A server that lost its disk takes part again only when all that it may have granted is over.",
    },
  },
];
