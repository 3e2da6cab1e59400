import type { LockEntry } from "../lock-entry.ts";
import { limitsOn } from "../lock-kinds.ts";
import { redisSemaphore } from "./redis-semaphore.ts";

/** What it keeps however long the time-outs of its holders are. */
const KEPT = ["owner-release", "deadlock-freedom"];

/**
 * The semaphores of the npm package `redis-semaphore`, 5.8.0: `Semaphore` for one permit, `MultiSemaphore` for several.
 * Both use the same sorted set, and may be used together. A permit is as old as the clock of its client said when it was
 * asked for, and is deleted when it is older than the time-out of whoever asks next.
 */
export const redisSemaphorePermits: LockEntry = {
  ...redisSemaphore,
  name: "redis-semaphore-permits",
  title: "npm redis-semaphore 5.8.0, Semaphore and MultiSemaphore, renewed at 0.8 of their leases",
  documented:
    "At most so many permits of a key are taken at a time. Renewed as the mutex. The time-out should be longer than the clocks of the clients differ.",
  async load() {
    const [{ MultiSemaphore, Semaphore }, { semaphoreDriver }] = await Promise.all([
      import("redis-semaphore"),
      import("./semaphore-client.ts"),
    ]);
    return semaphoreDriver(
      ([client], key, options, { limit = 1, permits = 1 }) => {
        if (client === undefined) throw new Error("a semaphore needs a server");
        return permits === 1
          ? new Semaphore(client, key, limit, options)
          : new MultiSemaphore(client, key, limit, permits, options);
      },
      { permits: true },
    );
  },
  supports: { permits: true },
  claims: redisSemaphore.claims.filter(({ property }) => KEPT.includes(property)),
  limits: [
    ...limitsOn(["single", "sentinel"], {
      property: "lease-exclusion",
      under: "none",
      cause: "double-grant",
      source: "its scripts delete the permits that are older than the time-out of whoever asks",
    }),
    ...redisSemaphore.limits,
  ],
  lesson: {
    shows: { property: "lease-exclusion", topology: "single", under: "none" },
    fixedBy: "semaphore",
    how: "Give all holders of a key the same time-out, longer than their clocks differ, or let each permit keep the end of its own lease, by the server's clock.",
  },
};
