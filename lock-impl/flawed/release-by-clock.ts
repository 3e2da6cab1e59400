import { composeLock } from "../compose.ts";
import type { LockClient, LockDriver } from "../driver.ts";
import { plainDelete } from "./set-px.ts";

const lock = composeLock({ protocol: plainDelete });

/** Deletes without comparing if its own clock says that the lease still lasts; the DEL can arrive when it does not. */
export const driver: LockDriver = {
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
