import type { Redis } from "ioredis";
import type Redlock from "redlock4";
import type { Lock } from "redlock4";
import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByRedlock } from "../lock-kinds.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { RETRY_DELAY_MS, validityOf, whatFailed } from "./redlock-outcomes.ts";

/** The npm package `redlock`, 4.2.0, with its defaults. */
export const redlock4: LockEntry = {
  ...leasedByRedlock,
  name: "redlock4",
  title: "npm redlock 4.2.0",
  npmPackage: "redlock4@npm:redlock@4.2.0",
  async load() {
    const [{ Redis }, { default: Library }] = await Promise.all([import("ioredis"), import("redlock4")]);
    return {
      async connect({ servers }) {
        const clients = await connectLibraryClients(servers, (options) => new Redis(options));
        return new Redlock4Client(clients, (retryCount) => new Library(clients, { retryCount }));
      },
    };
  },
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
    fixedBy: "redlock-fsync",
    how: "The library does what the recipe says. Servers that sync each write to disk restart with every lock that they granted.",
  },
};

class Redlock4Client implements LockClient {
  readonly #clients: readonly Redis[];
  readonly #redlockOf: (retryCount: number) => Redlock;
  readonly #locks = new Map<string, Lock>();

  constructor(clients: readonly Redis[], redlockOf: (retryCount: number) => Redlock) {
    this.#clients = clients;
    this.#redlockOf = redlockOf;
  }

  async acquire(key: string, { ttlMs, waitMs }: AcquireOptions): Promise<Completion<Grant>> {
    const redlock = this.#redlockOf(Math.ceil(waitMs / RETRY_DELAY_MS));
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
