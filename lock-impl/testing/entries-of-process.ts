import type { AcquireOptions, Completion, Grant, LockClient, LockDriver } from "../../harness/core/lock-driver.ts";
import { composeLock } from "../parts/compose.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import { ownedKey } from "../parts/protocol.ts";

/** Counts entries of its process, and lets every caller in that finds the process holding. */
class CountingLock implements LockClient {
  readonly #lock: LockClient;
  readonly #held = new Map<string, { readonly grant: Grant; entries: number }>();

  constructor(lock: LockClient) {
    this.#lock = lock;
  }

  async acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    const held = this.#held.get(key);
    if (held !== undefined) {
      held.entries += 1;
      return { type: "ok", value: { ...held.grant, owner: freshOwnerValue() } };
    }
    const completion = await this.#lock.acquire(key, options);
    if (completion.type === "ok") this.#held.set(key, { grant: completion.value, entries: 1 });
    return completion;
  }

  async release({ key }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const held = this.#held.get(key);
    if (held === undefined) return { type: "ok", value: { released: false } };
    held.entries -= 1;
    if (held.entries > 0) return { type: "ok", value: { released: true } };
    this.#held.delete(key);
    return this.#lock.release(held.grant);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock[Symbol.asyncDispose]();
  }
}

/** For tests, a lock that is wrong: a second request of the process that holds it is let in as another owner. */
export const entriesOfProcess: LockDriver = {
  supports: { concurrent: true },
  connect: async (environment) => new CountingLock(await composeLock({ protocol: ownedKey }).connect(environment)),
};
