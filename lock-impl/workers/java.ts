import { endlessLimits } from "../claim-tables.ts";
import type { Claim } from "../claims.ts";
import { fencedLease, leased, leasedByRedlock, limitsOn, sharedLeaseAnywhere } from "../lock-kinds.ts";
import type { LibraryWorker } from "./workers.ts";

/** Permits are a counter: what is never given back is gone. */
const counter = {
  topologies: leased.topologies,
  claims: [
    ...sharedLeaseAnywhere.claims.filter(({ property }) => property === "lease-exclusion"),
    ...leased.topologies.map((topology): Claim => ({
      property: "deadlock-freedom",
      topology,
      under: ["pauses-client"],
      because: "each holder gives back what it took",
    })),
  ],
  limits: [
    ...limitsOn(leased.topologies, {
      property: "deadlock-freedom",
      under: "kill-client",
      cause: "never-freed",
      source: "permits have no lease: nobody gives back those of a client that died",
    }),
    ...endlessLimits(leased.limits),
  ],
} as const;

/** Permits are a number and a set of leases beside it, two keys. */
const expirable = {
  ...sharedLeaseAnywhere,
  claims: sharedLeaseAnywhere.claims.map((claim): Claim =>
    claim.property === "deadlock-freedom"
      ? { ...claim, under: claim.under.filter((effect) => effect !== "loses-keys") }
      : claim,
  ),
} as const;

/**
 * Waiters stand in a queue, which keeps the place of one that died, or whose last word was lost, until its time is over. That time
 * leaves out the leases of those who are served before, so that others pass. Its unlock succeeds too where nobody holds the lock.
 */
const inTurn = {
  topologies: leased.topologies,
  claims: [
    ...leased.claims.filter(({ property }) => property !== "deadlock-freedom" && property !== "linearizability"),
    ...leased.topologies.map((topology): Claim => ({
      property: "deadlock-freedom",
      topology,
      under: ["pauses-client"],
      because: "each waiter takes the lock in its turn, or leaves the queue",
    })),
  ],
  limits: [
    ...limitsOn(leased.topologies, {
      property: "deadlock-freedom",
      under: "kill-client",
      cause: "never-freed",
      source: "a client that died while it waited keeps its place in the queue, for its wait or for five minutes",
    }),
    ...limitsOn(leased.topologies, {
      property: "first-come-first-served",
      under: "none",
      cause: "overtaken",
      source:
        "a waiter is dropped before its waiting time is over, after long leases of others: overtaken.json of the kit",
    }),
    ...limitsOn(leased.topologies, {
      property: "linearizability",
      under: "none",
      cause: "foreign-release",
      source: "unlock answers as if it had unlocked where nobody holds the lock any more",
    }),
    ...leased.limits,
  ],
} as const;

/** The locks of Redisson, Spring Integration and ShedLock. Their programs are classes, and each client of theirs is a JVM. */
export const javaWorkers: readonly LibraryWorker[] = [
  {
    ...leased,
    name: "redisson",
    title: "Redisson 4.7.0, RLock with a lease time",
    documented:
      "A reentrant lock that belongs to a thread, which alone may unlock it. With a lease time it is released by itself after it.",
    language: "java",
    program: "RedissonLease",
    asksReplicas: true,
  },
  {
    ...leased,
    name: "redisson-unsynced",
    title: "Redisson 4.7.0, RLock with a lease time, checkLockSyncedSlaves = false",
    documented:
      "A reentrant lock that belongs to a thread, which alone may unlock it. With a lease time it is released by itself after it. `checkLockSyncedSlaves` says whether an acquisition is checked with replicas.",
    language: "java",
    program: "RedissonUnsynced",
  },
  {
    ...leased,
    name: "redisson-watchdog",
    title: "Redisson 4.7.0, RLock without a lease time: a watchdog of 1.5 s renews it",
    documented: "The same; without a lease time a watchdog prolongs it as long as its client lives, by 30 s.",
    language: "java",
    program: "RedissonWatchdog",
    renews: true,
    asksReplicas: true,
  },
  {
    ...inTurn,
    name: "redisson-fair",
    title: "Redisson 4.7.0, the fair lock with a lease time",
    documented:
      "The same; threads are granted it in the order in which they asked. One that died is waited for in its turn.",
    language: "java",
    program: "RedissonFair",
    supports: { fair: true },
    asksReplicas: true,
  },
  {
    ...fencedLease,
    name: "redisson-fenced",
    title: "Redisson 4.7.0, RFencedLock with a lease time",
    documented: "The same, with a token that grows with each acquisition, which the guarded service is to check.",
    language: "java",
    program: "RedissonFenced",
    asksReplicas: true,
  },
  {
    ...sharedLeaseAnywhere,
    name: "redisson-read-write",
    title: "Redisson 4.7.0, RReadWriteLock with a lease time",
    documented: "A pair of locks: several readers may have theirs at a time, one writer its own.",
    language: "java",
    program: "RedissonReadWrite",
    supports: { modes: true },
    asksReplicas: true,
  },
  {
    ...counter,
    name: "redisson-semaphore",
    title: "Redisson 4.7.0, RSemaphore: permits without owners or leases",
    documented: "A semaphore, whose number of permits is set before it is used.",
    language: "java",
    program: "RedissonPermits",
    supports: { permits: true },
    asksReplicas: true,
  },
  {
    ...expirable,
    name: "redisson-permit-expirable-semaphore",
    title: "Redisson 4.7.0, RPermitExpirableSemaphore with a lease time, by the clocks of its clients",
    documented: "A semaphore whose permits have a lease time and an id of their own, by which alone each is released.",
    language: "java",
    program: "RedissonExpirablePermits",
    supports: { permits: true },
    asksReplicas: true,
  },
  {
    ...leasedByRedlock,
    name: "redisson-redlock",
    title: "Redisson 4.7.0, RedissonRedLock with a lease time",
    documented:
      "Several locks as one, of which a majority suffices. Deprecated in favour of `RLock` and `RFencedLock`.",
    language: "java",
    program: "RedissonRed",
  },
  {
    ...leased,
    name: "spring-lock-registry",
    title: "RedisLockRegistry of Spring Integration 7.0.0, with Lettuce 7.1.0",
    documented:
      "A `java.util.concurrent.locks.Lock` that instances of an application share, and that is released by itself after a time. Unlocking one that has expired throws.",
    language: "java",
    program: "SpringLockRegistry",
  },
  {
    ...leased,
    name: "shedlock",
    title: "the Redis provider of ShedLock 6.0.2, with Spring Data Redis and Lettuce 7.1.0",
    documented:
      "A scheduled task is executed at most once at the same time; a lock is released after `lockAtMostFor` in any case, which has to be longer than the task takes.",
    language: "java",
    program: "ShedLock",
    // What protects the lock of another is that nobody outlives a lease: no client that runs on time.
    claims: leased.claims.filter(({ property }) => property === "deadlock-freedom"),
    limits: [
      ...limitsOn(leased.topologies, {
        property: "owner-release",
        under: "none",
        cause: "foreign-release",
        source: "unlock is a DEL, and extend a SET with XX: neither compares the owner",
      }),
      ...limitsOn(leased.topologies, {
        property: "lease-exclusion",
        under: "none",
        cause: "foreign-release",
        source: "unlock is a DEL, and extend a SET with XX: neither compares the owner",
      }),
      ...leased.limits,
    ],
  },
];
