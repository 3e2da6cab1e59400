import { Redis } from "ioredis";
import Redlock, { type Lock, ResourceLockedError } from "redlock5";
import type { AcquireOptions, Completion, Grant, LockClient, LockDriver } from "../driver.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { RETRY_DELAY_MS, validityOf, whatFailed } from "./redlock-outcomes.ts";

/** The npm package `redlock`, 5.0.0-beta.2, with its defaults. */
export const driver: LockDriver = {
  async connect({ servers }) {
    return new Redlock5Client(await connectLibraryClients(servers, (options) => new Redis(options)));
  },
};

class Redlock5Client implements LockClient {
  readonly #clients: readonly Redis[];
  readonly #redlock: Redlock;
  readonly #locks = new Map<string, Lock>();
  #clientFailed = false;

  constructor(clients: readonly Redis[]) {
    this.#clients = clients;
    this.#redlock = new Redlock(clients);
    this.#redlock.on("error", (error) => {
      if (!(error instanceof ResourceLockedError)) this.#clientFailed = true;
    });
  }

  async acquire(key: string, { ttlMs, waitMs }: AcquireOptions): Promise<Completion<Grant>> {
    this.#clientFailed = false;
    try {
      const retryCount = Math.ceil(waitMs / RETRY_DELAY_MS);
      const lock = await this.#redlock.acquire([key], Math.floor(ttlMs), { retryCount });
      this.#locks.set(lock.value, lock);
      return { type: "ok", value: { key, owner: lock.value, ...validityOf(lock) } };
    } catch (error) {
      return whatFailed(error, this.#clientFailed);
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
      await lock.release();
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
