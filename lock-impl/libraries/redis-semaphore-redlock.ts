import type { LockEntry } from "../lock-entry.ts";
import { leasedByQuorum } from "../lock-kinds.ts";

/** The Redlock mutex of the npm package `redis-semaphore`, 5.8.0. */
export const redisSemaphoreRedlock: LockEntry = {
  ...leasedByQuorum,
  name: "redis-semaphore-redlock",
  title: "npm redis-semaphore 5.8.0, RedlockMutex, renewed at 0.8 of its lease",
  npmPackage: "redis-semaphore@5.8.0",
  documented: "As the mutex of redis-semaphore, on a majority of independent servers.",
  async load() {
    const [{ RedlockMutex }, { semaphoreDriver }] = await Promise.all([
      import("redis-semaphore"),
      import("./semaphore-client.ts"),
    ]);
    return semaphoreDriver((clients, key, options) => new RedlockMutex([...clients], key, options));
  },
  renews: true,
  // Its acquire does not measure how long the votes took: it counts votes whose leases have ended while others were under way.
  claims: leasedByQuorum.claims.filter(({ property }) => property !== "linearizability"),
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
    fixedBy: "redlock-fsync",
    how: "Servers that sync each write to disk restart with every lock that they granted.",
  },
};
