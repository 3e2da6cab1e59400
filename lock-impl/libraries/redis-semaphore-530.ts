import type { LockEntry } from "../lock-entry.ts";
import { redisSemaphore } from "./redis-semaphore.ts";

/** How its holder goes on with a lock that others have had since. */
const RETAKEN = {
  cause: "foreign-release",
  property: "linearizability",
  source: "swarthy/redis-semaphore#175: a renewal takes a lock that is gone, and the holder is never told",
} as const;

/** Faults that are known to let its renewal reach the server only when the lease is over. */
const LATE_RENEWAL = ["partition", "pause-node", "pause-client"] as const;

/**
 * The mutex of the npm package `redis-semaphore`, 5.3.0. Its renewal sets a key that is gone, so a holder whose lease
 * has ended goes on without knowing, although others may have held the lock in between. 5.3.1 fixed it.
 */
export const redisSemaphore530: LockEntry = {
  ...redisSemaphore,
  name: "redis-semaphore-530",
  title: "npm redis-semaphore 5.3.0, Mutex: its renewal takes a lock that is gone",
  // It names ioredis 4 and 5 as its peers, and takes clients only of the ioredis that it finds itself.
  npmPackage: "redis-semaphore-530@npm:redis-semaphore@5.3.0 --legacy-peer-deps",
  documented: "As redis-semaphore 5.8.0.",
  async load() {
    const [{ Mutex }, { semaphoreDriver }] = await Promise.all([
      import("redis-semaphore-530"),
      import("./semaphore-client.ts"),
    ]);
    return semaphoreDriver(([client], key, options) => {
      if (client === undefined) throw new Error("a mutex needs a server");
      return new Mutex(client, key, options);
    });
  },
  // When a lease ends unnoticed by its holder, a renewal takes the lock again, and the release then frees it.
  claims: redisSemaphore.claims.filter(
    ({ property }) => property !== "linearizability" && property !== "owner-release",
  ),
  limits: [
    ...LATE_RENEWAL.map((under) => ({ ...RETAKEN, topology: "single", under }) as const),
    { ...RETAKEN, topology: "sentinel", under: "pause-client" },
    { ...RETAKEN, property: "lost-updates", topology: "single", under: "partition", cause: "overrun" },
    ...redisSemaphore.limits,
  ],
  lesson: {
    shows: { property: "linearizability", topology: "single", under: "partition" },
    fixedBy: "redis-semaphore",
    how: "From 5.3.1 on the renewal only prolongs a lock that is still its own, and otherwise tells the holder.",
  },
};
