import type { Redis } from "ioredis";
import type * as Library from "redlock5";
import type { AcquireOptions, Completion, Grant, LockClient } from "../../harness/core/lock-driver.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByRedlock, limitsOn } from "../lock-kinds.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { RETRY_DELAY_MS, validityOf, whatFailed } from "./redlock-outcomes.ts";

/** The npm package `redlock`, 5.0.0-beta.2, with its defaults. */
export const redlock5: LockEntry = {
  ...leasedByRedlock,
  name: "redlock5",
  title: "npm redlock 5.0.0-beta.2",
  npmPackage: "redlock5@npm:redlock@5.0.0-beta.2",
  async load() {
    const [{ Redis }, library] = await Promise.all([import("ioredis"), import("redlock5")]);
    return {
      async connect({ servers }) {
        return new Redlock5Client(library, await connectLibraryClients(servers, (options) => new Redis(options)));
      },
    };
  },
  limits: [
    ...limitsOn(leasedByRedlock.topologies, {
      property: "lease-exclusion",
      under: "none",
      cause: "expired-grant",
      source: "mike-marcacci/node-redlock#296 and #299: the lease's clock starts before the retries; bad-elapsed-check",
    }),
    {
      property: "deadlock-freedom",
      topology: "redlock",
      under: "none",
      cause: "never-freed",
      source: "its acquire frees the votes of a failed try only after the last retry: they count against the next try",
    },
    ...leasedByRedlock.limits,
  ],
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "none" },
    fixedBy: "redlock",
    how: "The lease of each try counts from the sending of that try, and a lease that is over is not granted.",
  },
};

class Redlock5Client implements LockClient {
  readonly #clients: readonly Redis[];
  readonly #redlock: Library.default;
  readonly #locks = new Map<string, Library.Lock>();
  #clientFailed = false;

  constructor({ default: Implementation, ResourceLockedError }: typeof Library, clients: readonly Redis[]) {
    this.#clients = clients;
    this.#redlock = new Implementation(clients);
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

  #lock({ key, owner }: Grant): Library.Lock {
    const lock = this.#locks.get(owner);
    if (lock === undefined) throw new Error(`${key} is not held as ${owner}`);
    return lock;
  }
}
