import type { AcquireOptions, Completion, Grant, LockClient, LockDriver } from "../../harness/core/lock-driver.ts";
import { composeLock } from "../parts/compose.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import { ownedKey } from "../parts/protocol.ts";

/** A waiting request of a process, which is given what another one of it had. */
type Waiter = (grant: Grant) => void;

/** Hands a lock on to a request of its process that waits for it, without a word to the server. */
class HandingLock implements LockClient {
  readonly #lock: LockClient;
  readonly #countsAnew: boolean;
  readonly #held = new Map<string, Grant>();
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(lock: LockClient, countsAnew: boolean) {
    this.#lock = lock;
    this.#countsAnew = countsAnew;
  }

  async acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      const { promise, resolve } = Promise.withResolvers<Grant>();
      waiting.push(resolve);
      return { type: "ok", value: this.#told(await promise, options.ttlMs) };
    }
    this.#waiting.set(key, []);
    const completion = await this.#lock.acquire(key, options);
    if (completion.type === "ok") this.#held.set(completion.value.owner, completion.value);
    else this.#waiting.delete(key);
    return completion;
  }

  async release({ key, owner }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const held = this.#held.get(owner);
    this.#held.delete(owner);
    if (held === undefined) return { type: "ok", value: { released: false } };
    const next = this.#waiting.get(key)?.shift();
    if (next !== undefined) {
      next(held);
      return { type: "info", reason: "another request of the process has it" };
    }
    this.#waiting.delete(key);
    return this.#lock.release(held);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock[Symbol.asyncDispose]();
  }

  /** What is handed on, as the next request knows it. */
  #told(grant: Grant, ttlMs: number): Grant {
    const { validFromMs = performance.now(), validForMs = ttlMs } = grant;
    const owner = freshOwnerValue();
    const nowMs = performance.now();
    const leftMs = this.#countsAnew ? ttlMs : Math.max(1, validFromMs + validForMs - nowMs);
    this.#held.set(owner, grant);
    return { key: grant.key, owner, validForMs: leftMs, validFromMs: nowMs };
  }
}

/**
 * For tests, a lock that a request hands on to the next one of its process.
 *
 * @param countsAnew the bug: the next one is told a whole lease, although only what is left of it is handed on
 */
export function handedOn(countsAnew: boolean): LockDriver {
  return {
    supports: { concurrent: true },
    connect: async (environment) =>
      new HandingLock(await composeLock({ protocol: ownedKey }).connect(environment), countsAnew),
  };
}
