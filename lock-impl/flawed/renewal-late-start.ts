import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import type { Grant, LockDriver } from "../driver.ts";
import { Renewal, SOUND_RENEWAL } from "../renewal.ts";
import { recreatingKey } from "./extend-recreates.ts";

const lock = composeLock({ protocol: recreatingKey, patience: BOUNDLESS_PATIENCE });

/**
 * The renewing begins when a first renewal was answered. If the unlock comes before that answer it finds nothing to stop,
 * and what then begins is never stopped.
 */
export const driver: LockDriver = {
  async connect(environment) {
    const client = await lock.connect(environment);
    const renewals = new Map<string, Renewal>();
    const extend = async (grant: Grant, ttlMs: number) =>
      (await client.extend?.(grant, ttlMs)) ?? { type: "info" as const, reason: "the lock cannot be extended" };
    const start = async (grant: Grant, ttlMs: number): Promise<void> => {
      await extend(grant, ttlMs);
      const rules = { ...SOUND_RENEWAL, localDeadline: false };
      renewals.set(grant.owner, new Renewal(grant, ttlMs, rules, extend, () => {}));
    };
    return {
      async acquire(key, options) {
        const completion = await client.acquire(key, options);
        if (completion.type === "ok") void start(completion.value, options.ttlMs);
        return completion;
      },
      release(grant) {
        renewals.get(grant.owner)?.stop();
        return client.release(grant);
      },
      async [Symbol.asyncDispose]() {
        for (const renewal of renewals.values()) renewal.stop();
        await client[Symbol.asyncDispose]();
      },
    };
  },
};
