import { leaseLimits, soundLease, soundLeaseBehindSentinel, soundRenewal } from "./claim-tables.ts";
import type { LockEntry } from "./lock-entry.ts";

const redlock = {
  topologies: ["single", "redlock"],
  flawed: false,
  mintsFence: false,
  renews: false,
  claims: [...soundLease("single"), ...soundLease("redlock")],
  limits: [...leaseLimits("single"), ...leaseLimits("redlock")],
} as const satisfies Partial<LockEntry>;

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
  },
  {
    ...redlock,
    name: "redlock5",
    title: "npm redlock 5.0.0-beta.2",
    npmPackage: "redlock5@npm:redlock@5.0.0-beta.2",
    load: async () => (await import("./adapters/redlock5.ts")).driver,
    limits: [
      ...redlock.limits,
      {
        property: "lease-exclusion",
        topology: "redlock",
        under: "latency",
        cause: "expired-grant",
        source: "bad-elapsed-check",
      },
    ],
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
      ...leaseLimits("single"),
      ...leaseLimits("sentinel"),
    ],
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
    limits: [
      {
        property: "lease-exclusion",
        topology: "redlock",
        under: "pause-client",
        cause: "expired-grant",
        source: "bad-elapsed-check",
      },
      ...leaseLimits("redlock"),
    ],
  },
];
