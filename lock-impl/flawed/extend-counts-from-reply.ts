import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import type { Grant, LockDriver } from "../../harness/core/lock-driver.ts";
import { ownedKey } from "../parts/protocol.ts";

/** The first lease counts from the request; an extended one from the reply, however long that took to come. */
function countedFromReply(lock: LockDriver): LockDriver {
  return {
    async connect(environment) {
      const client = await lock.connect(environment);
      return {
        acquire: (key, options) => client.acquire(key, options),
        async extend(grant: Grant, ttlMs: number) {
          const extended = (await client.extend?.(grant, ttlMs)) ?? {
            type: "info" as const,
            reason: "the lock cannot be extended",
          };
          if (extended.type !== "ok") return extended;
          return { type: "ok", value: { ...extended.value, validForMs: ttlMs, validFromMs: performance.now() } };
        },
        release: (grant) => client.release(grant),
        [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
      };
    },
  };
}

export const extendCountsFromReply = specimen(plainLease, {
  name: "extend-counts-from-reply",
  flaw: "counts an extended lease from the arrival of the reply, not from the sending of the request",
  shows: {
    property: "lease-exclusion",
    under: ["latency"],
    cause: "double-grant",
    source: "bad-elapsed-check",
  },
  load: async () => countedFromReply(await fromParts({ protocol: ownedKey, timeouts: LONG_TIMEOUTS })()),
});
