import { sqlLocks } from "./alternatives/sql-locks.ts";
import { zookeeperLock } from "./alternatives/zookeeper-lock.ts";
import { leaseLimits, reroutedLease, reroutedLimits, soundLease } from "./claim-tables.ts";
import type { LockEntry } from "./lock-entry.ts";

const routed = {
  topologies: ["redlock"],
  flawed: false,
  mintsFence: false,
  renews: false,
} as const satisfies Partial<LockEntry>;

/**
 * What is used beside the ladder, or instead of it: other ways to place a lock, other stores to keep it in. Each is as
 * its author would have it, with what it claims and how it is known to be lost.
 */
export const alternatives: readonly LockEntry[] = [
  {
    ...routed,
    name: "consistent-hash",
    title: "single, on the one of N masters to which a consistent-hash ring leads, or the next when that is away",
    load: async () => (await import("./alternatives/consistent-hash.ts")).driver,
    claims: reroutedLease(),
    limits: reroutedLimits(),
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "partition" },
      mendedBy: "consistent-hash-strict",
      how: "The key stays where it is: a client that cannot reach its server goes without the lock.",
    },
  },
  {
    ...routed,
    name: "consistent-hash-strict",
    title: "single, on the one of N masters to which a consistent-hash ring leads, and on no other",
    load: async () => (await import("./alternatives/consistent-hash-strict.ts")).driver,
    claims: soundLease("redlock"),
    limits: leaseLimits("redlock"),
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
      mendedBy: "redlock-fsync",
      how: "A majority of servers grants the lock, so that it can be had without any one of them, and each syncs what it grants.",
    },
  },
  ...sqlLocks,
  zookeeperLock,
];
