import { composeLock } from "../compose.ts";
import type { Completion, Grant, LockDriver } from "../driver.ts";
import { fencedKey } from "../protocol.ts";

const lock = composeLock({ protocol: fencedKey });

/** How long a lease that was given up waits for the next taker in its own process. */
const LINGER_MS = 50;

/**
 * Keeps a lease that is given up for the next one in the same process who asks, and hands it on as it is: the next hold
 * has the fencing token of the one before.
 */
export const driver: LockDriver = {
  async connect(environment) {
    const client = await lock.connect(environment);
    const kept = new Map<string, { readonly grant: Grant; readonly overAtMs: number; readonly free: NodeJS.Timeout }>();
    return {
      async acquire(key, options): Promise<Completion<Grant>> {
        const left = kept.get(key);
        if (left === undefined) return client.acquire(key, options);
        kept.delete(key);
        clearTimeout(left.free);
        const validFromMs = performance.now();
        return { type: "ok", value: { ...left.grant, validForMs: left.overAtMs - validFromMs, validFromMs } };
      },
      async release(grant) {
        const overAtMs = performance.now() + (grant.validForMs ?? 0);
        const free = setTimeout(() => {
          kept.delete(grant.key);
          void client.release(grant);
        }, LINGER_MS);
        kept.set(grant.key, { grant, overAtMs, free });
        return { type: "ok", value: { released: true } };
      },
      async [Symbol.asyncDispose]() {
        for (const { free } of kept.values()) clearTimeout(free);
        await client[Symbol.asyncDispose]();
      },
    };
  },
};
