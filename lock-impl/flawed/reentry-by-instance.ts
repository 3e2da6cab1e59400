import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import { ownedKey } from "../parts/protocol.ts";
import { specimen, usedByRequests } from "./specimen.ts";

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

export const reentryByInstance = specimen(usedByRequests, {
  name: "reentry-by-instance",
  flaw: "counts the entries of the process, not of the caller: a second request of the process is let in",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "reentry-by-instance" },
  load: async () => {
    const { composeLock } = await import("../parts/compose.ts");
    const sound = composeLock({ protocol: ownedKey });
    return {
      supports: { concurrent: true },
      connect: async (environment) => new CountingLock(await sound.connect(environment)),
    };
  },
});
