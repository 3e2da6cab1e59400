import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Completion, LockClient, LockDriver } from "lockstorm";
import type { Lock } from "./held.ts";

/** How long to wait between two tries, in milliseconds. */
const PAUSE_MS = 50;

/** Has lockstorm drive a lock of this project. */
export function driverOf(open: (redis: Redis) => Lock): LockDriver {
  return {
    async connect({ servers }) {
      if (servers.kind !== "single") throw new Error("these locks live on one server");
      // A command whose answer is lost is not sent again: nobody knows whether it was applied.
      const redis = new Redis({ ...servers.address, maxRetriesPerRequest: 0, commandTimeout: 1000 });
      redis.on("error", () => {});
      const lock = open(redis);
      const client: LockClient = {
        acquire: (key, { ttlMs, waitMs, signal }) =>
          attempt(async () => {
            const giveUpAt = performance.now() + waitMs;
            for (;;) {
              const held = await lock.lock(key, ttlMs);
              if (held !== undefined) return { type: "ok", value: { key, ...held } };
              if (performance.now() >= giveUpAt || signal.aborted) {
                return { type: "fail", kind: "contended", reason: "somebody else holds it" };
              }
              await sleep(PAUSE_MS);
            }
          }),
        release: ({ key, owner }) =>
          attempt(async () => ({ type: "ok", value: { released: await lock.unlock(key, owner) } })),
        [Symbol.asyncDispose]: async () => redis.disconnect(),
      };
      return client;
    },
  };
}

/** An error says nothing of what the server did. */
async function attempt<T>(operation: () => Promise<Completion<T>>): Promise<Completion<T>> {
  try {
    return await operation();
  } catch (error) {
    return { type: "info", reason: String(error) };
  }
}
