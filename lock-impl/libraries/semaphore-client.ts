import { Redis } from "ioredis";
import type { LockOptions, Mutex, RedlockMutex } from "redis-semaphore";
import type { AcquireOptions, Completion, Grant, LockClient, LockDriver } from "../../harness/core/lock-driver.ts";
import type { Sharing, Supports } from "../../harness/core/sharing.ts";
import { majority } from "../parts/quorum.ts";
import { connectLibraryClients, type LibraryOptions } from "./library-clients.ts";

type Library = Mutex | RedlockMutex;
/** Makes a lock of the library for one acquisition. */
type MakeLock = (clients: readonly Redis[], key: string, options: LockOptions, sharing: Sharing) => Library;

/**
 * A Redis client that remembers replies. The library frees a lock and does not say whether the lock was its own, and
 * takes a command that failed for one that was refused.
 */
class RememberingRedis extends Redis {
  /** The owner value that is being released. */
  releasing: string | undefined;
  /** Its release was answered with a deletion. */
  deleted = false;
  failed = false;
  /**
   * The connection was lost: a pending command is sent again on the next one, and its reply is that of the second
   * execution.
   */
  reconnected = false;

  override sendCommand(...parameters: Parameters<Redis["sendCommand"]>): unknown {
    const [command] = parameters;
    // Only a release ends with the owner value. A renewal that the library sends at the same time ends with a number.
    const releases = this.releasing !== undefined && String(command.args.at(-1)) === this.releasing;
    command.promise.then(
      (reply: unknown) => {
        if (releases && Number(reply) > 0) this.deleted = true;
      },
      (error: unknown) => {
        // Error replies such as NOSCRIPT are answers; the library handles them.
        if (!(error instanceof Error && error.name === "ReplyError")) this.failed = true;
      },
    );
    return super.sendCommand(...parameters);
  }
}

function rememberingRedis(options: LibraryOptions): RememberingRedis {
  const client = new RememberingRedis(options);
  client.on("close", () => {
    client.reconnected = true;
  });
  return client;
}

/** A driver over one of the locks of the npm package `redis-semaphore`, with its default renewal at 0.8. */
export function semaphoreDriver(make: MakeLock, supports?: Supports): LockDriver {
  return {
    supports,
    async connect({ servers }) {
      const clients = await connectLibraryClients(servers, rememberingRedis);
      return new SemaphoreClient(clients, make);
    },
  };
}

class SemaphoreClient implements LockClient {
  readonly #clients: readonly RememberingRedis[];
  readonly #make: MakeLock;
  readonly #mutexes = new Map<string, Library>();
  readonly #lostListeners = new Set<(lost: { readonly key: string; readonly owner: string }) => void>();

  constructor(clients: readonly RememberingRedis[], make: MakeLock) {
    this.#clients = clients;
    this.#make = make;
  }

  async acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    const { ttlMs, waitMs, signal } = options;
    const timing: LockOptions = {
      lockTimeout: Math.floor(ttlMs),
      // The library tries while less than this has passed. With 0 it would not try at all, and on a slow machine neither with 1:
      // a single try is ended by the number of tries.
      acquireTimeout: waitMs === 0 ? ttlMs : waitMs,
      acquireAttemptsLimit: waitMs === 0 ? 1 : Number.POSITIVE_INFINITY,
      onLockLost: () => this.#lost(key, mutex.identifier),
    };
    const mutex: Library = this.#make(this.#clients, key, timing, options);
    for (const client of this.#clients) {
      client.failed = false;
      client.reconnected = false;
    }
    try {
      if (!(await mutex.tryAcquire(signal))) return this.#refused();
    } catch (error) {
      return { type: "info", reason: String(error) };
    }
    this.#mutexes.set(mutex.identifier, mutex);
    // The library reports no validity, and its users have none.
    return { type: "ok", value: { key, owner: mutex.identifier } };
  }

  async release({ key, owner }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const mutex = this.#mutexes.get(owner);
    if (mutex === undefined) throw new Error(`${key} is not held as ${owner}`);
    this.#mutexes.delete(owner);
    for (const client of this.#clients) {
      client.releasing = owner;
      client.deleted = false;
      client.reconnected = false;
    }
    try {
      await mutex.release();
    } catch (error) {
      return { type: "info", reason: String(error) };
    }
    const freed = this.#clients.filter(({ deleted }) => deleted).length;
    if (freed >= majority(this.#clients.length)) return { type: "ok", value: { released: true } };
    if (freed > 0) return { type: "info", reason: "only a minority of the servers still had it" };
    if (this.#clients.some(({ reconnected }) => reconnected)) {
      return { type: "info", reason: "it was sent again when a connection was lost: the first time may have freed it" };
    }
    return { type: "ok", value: { released: false } };
  }

  onLost(listener: (lost: { readonly key: string; readonly owner: string }) => void): void {
    this.#lostListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const mutex of this.#mutexes.values()) mutex.stopRefresh();
    for (const client of this.#clients) client.disconnect();
  }

  #refused(): Completion<never> {
    const failed = this.#clients.some((client) => client.failed);
    if (failed) return { type: "info", reason: "a server did not answer" };
    if (this.#clients.some(({ reconnected }) => reconnected)) {
      return { type: "info", reason: "it was sent again when a connection was lost: the first time may have taken it" };
    }
    return { type: "fail", kind: "contended", reason: "held by another" };
  }

  #lost(key: string, owner: string): void {
    for (const listener of this.#lostListeners) listener({ key, owner });
  }
}
