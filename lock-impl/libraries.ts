import { leaseLimits, soundLease, soundLeaseBehindSentinel, soundRenewal } from "./claim-tables.ts";
import type { Limit } from "./claims.ts";
import type { LockEntry } from "./lock-entry.ts";

const redlock = {
  topologies: ["single", "redlock"],
  flawed: false,
  mintsFence: false,
  renews: false,
  claims: [...soundLease("single"), ...soundLease("redlock")],
  limits: [...leaseLimits("single"), ...leaseLimits("redlock")],
} as const satisfies Partial<LockEntry>;

/** What a renewed lease does not suffer. Renewed at 0.8 of it, it is still outrun by a clock that is too fast. */
function isNotOfLongHolds({ property, under }: Limit): boolean {
  return property !== "mutual-exclusion" || under !== "none";
}

/**
 * Libraries from npm, unmodified, with their defaults and those of ioredis. Their claims are what the recipes they name
 * promise, not what their authors wrote. They are installed apart.
 */
export const libraries: readonly LockEntry[] = [
  {
    ...redlock,
    name: "redlock4",
    title: "npm redlock 4.2.0",
    npmPackage: "redlock4@npm:redlock@4.2.0",
    load: async () => (await import("./adapters/redlock4.ts")).driver,
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
      mendedBy: "redlock-fsync",
      how: "The library is as the recipe is: servers that sync each write come back with every lock that they granted.",
    },
  },
  {
    ...redlock,
    name: "redlock5",
    title: "npm redlock 5.0.0-beta.2",
    npmPackage: "redlock5@npm:redlock@5.0.0-beta.2",
    load: async () => (await import("./adapters/redlock5.ts")).driver,
    limits: [
      ...redlock.topologies.map((topology) => ({
        property: "lease-exclusion",
        topology,
        under: "none",
        cause: "expired-grant",
        source:
          "mike-marcacci/node-redlock#296 and #299: the lease's clock starts before the retries; bad-elapsed-check",
      })),
      ...redlock.limits,
    ],
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "none" },
      mendedBy: "redlock",
      how: "The lease of each try counts from when that try is sent, and one that is over is not handed out.",
    },
  },
  {
    ...redlock,
    name: "redis-semaphore",
    title: "npm redis-semaphore 5.8.0, Mutex, renewed at 0.8 of its lease",
    topologies: ["single", "sentinel"],
    npmPackage: "redis-semaphore@5.8.0",
    load: async () => (await import("./adapters/redis-semaphore.ts")).mutexDriver,
    renews: true,
    claims: [...soundLease("single"), ...soundLeaseBehindSentinel(), ...soundRenewal()],
    limits: [
      {
        property: "mutual-exclusion",
        topology: "single",
        under: "partition",
        cause: "overrun",
        source: "watchdog-silent",
      },
      ...[...leaseLimits("single"), ...leaseLimits("sentinel")].filter(isNotOfLongHolds),
    ],
    lesson: {
      shows: { property: "mutual-exclusion", topology: "single", under: "partition" },
      mendedBy: "watchdog",
      how: "The holder has a deadline of its own: cut off from the server, it is told before its lease ends.",
    },
  },
  {
    ...redlock,
    name: "redis-semaphore-redlock",
    title: "npm redis-semaphore 5.8.0, RedlockMutex, renewed at 0.8 of its lease",
    topologies: ["redlock"],
    npmPackage: "redis-semaphore@5.8.0",
    load: async () => (await import("./adapters/redis-semaphore.ts")).redlockMutexDriver,
    renews: true,
    claims: soundLease("redlock"),
    limits: leaseLimits("redlock"),
    lesson: {
      shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
      mendedBy: "redlock-fsync",
      how: "Servers that sync each write come back with every lock that they granted.",
    },
  },
];
