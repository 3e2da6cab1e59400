import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import type { Completion, Grant, LockDriver } from "../../harness/core/lock-driver.ts";
import { fencedKey } from "../parts/protocol.ts";

/** How long a released lease waits for the next taker in its own process. */
const LINGER_MS = 50;

/**
 * Keeps a released lease for the next caller in the same process and hands it on unchanged: the next hold has the
 * fencing token of the one before.
 */
function handedOnAsItIs(lock: LockDriver): LockDriver {
  return {
    async connect(environment) {
      const client = await lock.connect(environment);
      const kept = new Map<
        string,
        { readonly grant: Grant; readonly overAtMs: number; readonly free: NodeJS.Timeout }
      >();
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
}

export const handoffSameFence = specimen(fencedLease, {
  name: "handoff-same-fence",
  flaw: "a lease that is handed over within a process keeps its fencing token: two holds have the same one",
  shows: { property: "fencing-tokens", under: ["none"], cause: "token-rollback", source: "local-handoff" },
  load: async () => handedOnAsItIs(await fromParts({ protocol: fencedKey })()),
});
