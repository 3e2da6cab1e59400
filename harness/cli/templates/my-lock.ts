import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Completion, LockDriver } from "lockstorm";

const FREE_MINE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** How long to wait between two tries, in milliseconds. */
const PAUSE_MS = 50;

/** The lock under test: replace `take` and `free` by calls of your own lock. */
export const driver: LockDriver = {
  // If several requests of a process use your lock object at the same time, say so, and hunts will too:
  // supports: { concurrent: true },
  async connect({ servers }) {
    if (servers.kind !== "single") throw new Error(`this driver knows one server, not ${servers.kind}`);
    // A command whose reply was lost must not be sent again, because the server may have applied it.
    const redis = new Redis({ ...servers.address, maxRetriesPerRequest: 0, commandTimeout: 1000 });
    redis.on("error", () => {});

    const take = async (key: string, owner: string, ttlMs: number): Promise<boolean> =>
      (await redis.set(key, owner, "PX", ttlMs, "NX")) === "OK";
    const free = async (key: string, owner: string): Promise<boolean> =>
      (await redis.eval(FREE_MINE, 1, key, owner)) === 1;

    return {
      acquire: (key, { ttlMs, waitMs, signal }) =>
        attempt(async () => {
          const giveUpAt = performance.now() + waitMs;
          for (;;) {
            const owner = randomUUID();
            const askedAt = performance.now();
            if (await take(key, owner, ttlMs)) {
              const validForMs = ttlMs - (performance.now() - askedAt);
              if (validForMs > 0) return { type: "ok", value: { key, owner, validForMs } };
              await free(key, owner);
            }
            if (performance.now() >= giveUpAt || signal.aborted) {
              return { type: "fail", kind: "contended", reason: "somebody else holds it" };
            }
            await sleep(PAUSE_MS);
          }
        }),
      release: ({ key, owner }) => attempt(async () => ({ type: "ok", value: { released: await free(key, owner) } })),
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  },
};

/** After an error nobody knows what the server did. The answer is `info`, neither success nor failure. */
async function attempt<T>(operation: () => Promise<Completion<T>>): Promise<Completion<T>> {
  try {
    return await operation();
  } catch (error) {
    return { type: "info", reason: String(error) };
  }
}
