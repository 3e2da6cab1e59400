import { renewedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import type { Grant, LockDriver } from "../../harness/core/lock-driver.ts";
import { Renewal, SOUND_RENEWAL } from "../parts/renewing/renewal.ts";
import { recreatingKey } from "./extend-recreates.ts";

/**
 * The renewing begins when the first renewal is answered. An unlock before that answer finds nothing to stop, and the
 * renewing that then begins is never stopped.
 */
function renewedOnceAnswered(lock: LockDriver): LockDriver {
  return {
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
}

export const renewalLateStart = specimen(renewedLease, {
  name: "renewal-late-start",
  flaw: "the renewal loop starts after the first renewal is answered; an unlock before that has no loop to stop",
  shows: {
    property: "deadlock-freedom",
    under: ["latency", "stall", "partition", "pause-node"],
    cause: "never-freed",
    source: "watchdog-outlives-unlock",
  },
  load: async () => renewedOnceAnswered(await fromParts({ protocol: recreatingKey, timeouts: LONG_TIMEOUTS })()),
});
