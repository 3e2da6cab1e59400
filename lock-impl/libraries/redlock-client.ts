import type { Redis } from "ioredis";
import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";

/** Default pause between tries in all versions of `redlock`. */
export const RETRY_DELAY_MS = 200;

/** A lock as all versions of `redlock` give it. */
interface HeldLock<Lock> {
  /** The owner value. */
  readonly value: string;
  /** Wall clock, in milliseconds since the epoch. */
  readonly expiration: number;
  extend(ttlMs: number): Promise<Lock>;
}

/** The calls in which the versions of `redlock` differ. */
export interface RedlockCalls<Lock> {
  /** Tries once, and `retryCount` times more. */
  acquire(keys: readonly [string, ...string[]], ttlMs: number, retryCount: number): Attempt<Lock>;
  release(lock: Lock): Promise<unknown>;
}

interface Attempt<Lock> {
  readonly lock: Promise<Lock>;
  /** Whether a server has not answered. */
  clientFailed(): boolean;
}

/** A client of the npm package `redlock`, in any version. */
export class RedlockClient<Lock extends HeldLock<Lock>> implements LockClient {
  readonly #clients: readonly Redis[];
  readonly #calls: RedlockCalls<Lock>;
  readonly #locks = new Map<string, Lock>();

  constructor(clients: readonly Redis[], calls: RedlockCalls<Lock>) {
    this.#clients = clients;
    this.#calls = calls;
  }

  async acquire(key: string, { ttlMs, waitMs, alsoKeys = [] }: AcquireOptions): Promise<Completion<Grant>> {
    const retryCount = Math.ceil(waitMs / RETRY_DELAY_MS);
    const attempt = this.#calls.acquire([key, ...alsoKeys], Math.floor(ttlMs), retryCount);
    try {
      const lock = await attempt.lock;
      this.#locks.set(lock.value, lock);
      return { type: "ok", value: { key, owner: lock.value, ...validityOf(lock) } };
    } catch (error) {
      return whatFailed(error, attempt.clientFailed());
    }
  }

  async extend(grant: Grant, ttlMs: number): Promise<Completion<Grant>> {
    try {
      const lock = await this.#lock(grant).extend(Math.floor(ttlMs));
      this.#locks.set(lock.value, lock);
      return { type: "ok", value: { ...grant, ...validityOf(lock) } };
    } catch (error) {
      return { type: "info", reason: String(error) };
    }
  }

  async release(grant: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const lock = this.#lock(grant);
    this.#locks.delete(grant.owner);
    try {
      await this.#calls.release(lock);
      return { type: "ok", value: { released: true } };
    } catch (error) {
      return { type: "info", reason: String(error) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.disconnect();
  }

  #lock({ key, owner }: Grant): Lock {
    const lock = this.#locks.get(owner);
    if (lock === undefined) throw new Error(`${key} is not held as ${owner}`);
    return lock;
  }
}

/** How long the library says a lock may be trusted; it counts by the wall clock. */
export function validityOf(lock: { readonly expiration: number }): Required<Pick<Grant, "validForMs" | "validFromMs">> {
  const validFromMs = performance.now();
  return { validForMs: lock.expiration - Date.now(), validFromMs };
}

/**
 * What a failed acquisition proves. The library frees what it may have set, but does not say whether that succeeded:
 * only if every server answered is it certain that the lock was not taken.
 */
function whatFailed(error: unknown, clientFailed: boolean): Completion<never> {
  const reason = String(error);
  return clientFailed ? { type: "info", reason } : { type: "fail", kind: "contended", reason };
}
