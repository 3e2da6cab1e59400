import { fencedLease, leased } from "../lock-kinds.ts";
import type { LibraryWorker } from "./workers.ts";

/** The locks of Redisson 4.7.0. Their programs are classes, and each client of theirs is a JVM. */
export const javaWorkers: readonly LibraryWorker[] = [
  {
    ...leased,
    name: "redisson",
    title: "Redisson 4.7.0, RLock with a lease time",
    language: "java",
    program: "RedissonLease",
    asksReplicas: true,
  },
  {
    ...leased,
    name: "redisson-unsynced",
    title: "Redisson 4.7.0, RLock with a lease time, checkLockSyncedSlaves = false",
    language: "java",
    program: "RedissonUnsynced",
  },
  {
    ...leased,
    name: "redisson-watchdog",
    title: "Redisson 4.7.0, RLock without a lease time: a watchdog of 1.5 s renews it",
    language: "java",
    program: "RedissonWatchdog",
    renews: true,
    asksReplicas: true,
  },
  {
    ...fencedLease,
    name: "redisson-fenced",
    title: "Redisson 4.7.0, RFencedLock with a lease time",
    language: "java",
    program: "RedissonFenced",
    asksReplicas: true,
  },
];
