import { Redis } from "ioredis";
import Redlock, { type Lock } from "redlock4";
import type { AcquireOptions, Completion, Grant, LockClient, LockDriver } from "../driver.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { RETRY_DELAY_MS, validityOf, whatFailed } from "./redlock-outcomes.ts";

/** The npm package `redlock`, 4.2.0, with its defaults. */
export const driver: LockDriver = {
  async connect({ servers }) {
    return new Redlock4Client(await connectLibraryClients(servers, (options) => new Redis(options)));
  },
};

class Redlock4Client implements LockClient {
  readonly #clients: readonly Redis[];
  readonly #locks = new Map<string, Lock>();

  constructor(clients: readonly Redis[]) {
    this.#clients = clients;
  }

  async acquire(key: string, { ttlMs, waitMs }: AcquireOptions): Promise<Completion<Grant>> {
    const redlock = new Redlock(this.#clients, { retryCount: Math.ceil(waitMs / RETRY_DELAY_MS) });
    let clientFailed = false;
    redlock.on("clientError", () => {
      clientFailed = true;
    });
    try {
      const lock = await redlock.lock(key, Math.floor(ttlMs));
      this.#locks.set(lock.value, lock);
      return { type: "ok", value: { key, owner: lock.value, ...validityOf(lock) } };
    } catch (error) {
      return whatFailed(error, clientFailed);
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
      await lock.unlock();
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
