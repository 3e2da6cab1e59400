import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import { ownedKey } from "../parts/protocol.ts";
import { specimen, usedByRequests } from "./specimen.ts";

/** Requests of its process wait in memory, without asking the server; there is one place to wait for each key. */
class GatedLock implements LockClient {
  readonly #lock: LockClient;
  readonly #held = new Set<string>();
  readonly #waiting = new Map<string, (woken: boolean) => void>();

  constructor(lock: LockClient) {
    this.#lock = lock;
  }

  async acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    const deadlineMs = performance.now() + options.waitMs;
    while (this.#held.has(key)) {
      const woken = await this.#place(key, deadlineMs - performance.now());
      if (!woken) return { type: "fail", kind: "contended", reason: "another request of this process holds it" };
    }
    const waitMs = Math.max(0, deadlineMs - performance.now());
    const completion = await this.#lock.acquire(key, { ...options, waitMs });
    if (completion.type === "ok") this.#held.add(key);
    return completion;
  }

  async release(grant: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const completion = await this.#lock.release(grant);
    this.#held.delete(grant.key);
    this.#waiting.get(grant.key)?.(true);
    this.#waiting.delete(grant.key);
    return completion;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock[Symbol.asyncDispose]();
  }

  /** Waits for the release, in the place of whoever waits there already. Resolves to false when the time is over. */
  async #place(key: string, waitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.set(key, resolve);
    const timer = setTimeout(() => resolve(false), Math.max(0, waitMs));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}

export const waiterOverwritten = specimen(usedByRequests, {
  name: "waiter-overwritten",
  flaw: "remembers one waiting request of the process for each key: a second one takes its place, and the first is never woken",
  shows: { property: "deadlock-freedom", under: ["none"], cause: "never-freed", source: "waiter-overwritten" },
  load: async () => {
    const { composeLock } = await import("../parts/compose.ts");
    const sound = composeLock({ protocol: ownedKey });
    return {
      supports: { concurrent: true },
      connect: async (environment) => new GatedLock(await sound.connect(environment)),
    };
  },
});
