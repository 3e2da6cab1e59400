import { leaseLimits, soundLease, soundLeaseBehindSentinel, soundRenewal } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leased } from "../lock-kinds.ts";

/** Faults that can keep a renewal from the server, or its answer from the client, until the lease has ended. */
const RENEWAL_CUT_OFF = [
  "partition",
  "stall",
  "latency",
  "reset",
  "pause-node",
  "kill-node",
  "restart-node",
  "power-loss",
] as const;

/** The library waits for the answer to a renewal without a deadline of its own. */
const OVERRUN = {
  property: "mutual-exclusion",
  cause: "overrun",
  source: "its Lock waits for a renewal without a deadline; watchdog-silent",
} as const;

/**
 * The mutex of the npm package `redis-semaphore`, 5.8.0. It renews at 0.8 of its lease, so a clock that runs too fast
 * ends the lease before the renewal.
 */
export const redisSemaphore: LockEntry = {
  ...leased,
  name: "redis-semaphore",
  title: "npm redis-semaphore 5.8.0, Mutex, renewed at 0.8 of its lease",
  npmPackage: "redis-semaphore@5.8.0",
  documented:
    "A mutex that renews itself at 0.8 of its time-out. `onLockLost` is called when a renewal finds that the lock is lost; without it, an error is thrown that nobody catches.",
  async load() {
    const [{ Mutex }, { semaphoreDriver }] = await Promise.all([
      import("redis-semaphore"),
      import("./semaphore-client.ts"),
    ]);
    return semaphoreDriver(([client], key, options) => {
      if (client === undefined) throw new Error("a mutex needs a server");
      return new Mutex(client, key, options);
    });
  },
  renews: true,
  claims: [...soundLease("single"), ...soundLeaseBehindSentinel(), ...soundRenewal()],
  limits: [
    ...RENEWAL_CUT_OFF.map((under) => ({ ...OVERRUN, topology: "single", under }) as const),
    { ...OVERRUN, topology: "sentinel", under: "reset" },
    // A grant whose answer comes after its lease counts as a hold: the library does not measure how long it took.
    { ...OVERRUN, property: "lost-updates", topology: "single", under: "pause-node" },
    // A renewed hold can outlast one lease.
    ...[...leaseLimits("single"), ...leaseLimits("sentinel")].filter(
      ({ property, under }) => property !== "mutual-exclusion" || under !== "none",
    ),
  ],
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "partition" },
    fixedBy: "watchdog",
    how: "The holder has its own deadline: partitioned from the server, it is notified before its lease ends.",
  },
};
