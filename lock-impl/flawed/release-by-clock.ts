import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import type { LockClient, LockDriver } from "../../harness/core/lock-driver.ts";
import { plainDelete } from "../ladder/set-px.ts";

/**
 * Deletes without comparing if its own clock says that the lease still lasts; the DEL can arrive after the lease has
 * ended.
 */
function deletingByClock(lock: LockDriver): LockDriver {
  return {
    async connect(environment): Promise<LockClient> {
      const client = await lock.connect(environment);
      const deadlinesMs = new Map<string, number>();
      return {
        async acquire(key, options) {
          const completion = await client.acquire(key, options);
          if (completion.type === "ok") {
            deadlinesMs.set(completion.value.owner, performance.now() + (completion.value.validForMs ?? 0));
          }
          return completion;
        },
        async release(grant) {
          const deadlineMs = deadlinesMs.get(grant.owner) ?? 0;
          deadlinesMs.delete(grant.owner);
          if (performance.now() >= deadlineMs) return { type: "ok", value: { released: false } };
          return client.release(grant);
        },
        [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
      };
    },
  };
}

export const releaseByClock = specimen(plainLease, {
  name: "release-by-clock",
  flaw: "unlocks with a plain DEL if the lease lasts by its own clock; the DEL can arrive later",
  shows: {
    property: "owner-release",
    under: ["latency", "stall", "partition", "pause-client", "pause-node"],
    cause: "foreign-release",
    source: "plain-del",
  },
  load: async () => deletingByClock(await fromParts({ protocol: plainDelete })()),
});
