import type { Redis } from "ioredis";
import type * as Library from "redlock5";
import type { AcquireOptions, Completion, Grant, LockClient, Renewed } from "../../harness/core/lock-driver.ts";
import { RETRY_DELAY_MS, validityOf } from "./redlock-client.ts";

/** A lease is renewed when this much of it is left, by default. */
const EXTENSION_THRESHOLD_MS = 500;
/** The library refuses a lease that is not this much longer than the threshold. */
const LEAST_RENEWED_MS = 100;

type Lost = (lost: { readonly key: string; readonly owner: string }) => void;

/** A routine that `using` runs: it ends when the lock is released. */
interface Routine {
  readonly end: () => void;
  readonly ended: Promise<void>;
}

/**
 * A client that works as the routine of `using` does: it has the lock while the routine runs, the library renews the
 * lease by itself, and an AbortSignal tells when that failed.
 */
export class RedlockUsingClient implements LockClient {
  readonly #clients: readonly Redis[];
  readonly #library: typeof Library;
  readonly #routines = new Map<string, Routine>();
  readonly #lostListeners = new Set<Lost>();
  readonly #renewedListeners = new Set<(renewed: Renewed) => void>();

  constructor(clients: readonly Redis[], library: typeof Library) {
    this.#clients = clients;
    this.#library = library;
  }

  async acquire(key: string, { ttlMs, waitMs }: AcquireOptions): Promise<Completion<Grant>> {
    const durationMs = Math.floor(ttlMs);
    const redlock = new this.#library.default(this.#clients);
    const watched = watch(redlock, this.#library, (lock) => this.#tellRenewed(key, lock));
    const settings = {
      retryCount: Math.ceil(waitMs / RETRY_DELAY_MS),
      automaticExtensionThreshold: Math.min(EXTENSION_THRESHOLD_MS, durationMs - LEAST_RENEWED_MS),
    };
    const started = Promise.withResolvers<Completion<Grant>>();
    const end = Promise.withResolvers<void>();
    const ended = redlock.using([key], durationMs, settings, async (signal) => {
      const lock = watched.granted();
      signal.addEventListener("abort", () => this.#tellLost(key, lock.value));
      this.#routines.set(lock.value, { end: end.resolve, ended });
      started.resolve({ type: "ok", value: { key, owner: lock.value, ...validityOf(lock) } });
      await end.promise;
    });
    // Once the routine runs, nobody hears this answer any more: the release tells of the error.
    ended.catch((error: unknown) => started.resolve(watched.refusal(error)));
    return started.promise;
  }

  async release({ key, owner }: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const routine = this.#routines.get(owner);
    if (routine === undefined) throw new Error(`${key} is not held as ${owner}`);
    this.#routines.delete(owner);
    routine.end();
    try {
      await routine.ended;
      return { type: "ok", value: { released: true } };
    } catch (error) {
      return { type: "info", reason: String(error) };
    }
  }

  onLost(listener: Lost): void {
    this.#lostListeners.add(listener);
  }

  onRenewed(listener: (renewed: Renewed) => void): void {
    this.#renewedListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A routine that is still open would renew its lease for ever.
    for (const { end } of this.#routines.values()) end();
    for (const client of this.#clients) client.disconnect();
  }

  #tellLost(key: string, owner: string): void {
    for (const listener of this.#lostListeners) listener({ key, owner });
  }

  #tellRenewed(key: string, lock: Library.Lock): void {
    for (const listener of this.#renewedListeners) listener({ key, owner: lock.value, ...validityOf(lock) });
  }
}

/** What the library does inside `using` and tells nobody: the lock that it took, and those that replace it. */
interface Watched {
  /** The lock of the routine that runs. */
  granted(): Library.Lock;
  /** What an acquisition that threw proves: see `RedlockClient`. */
  refusal(error: unknown): Completion<never>;
}

/** Listens to the calls that `using` makes of its own methods, and changes nothing about them. */
function watch(
  redlock: Library.default,
  { ResourceLockedError }: typeof Library,
  onRenewed: (lock: Library.Lock) => void,
): Watched {
  let granted: Library.Lock | undefined;
  let clientFailed = false;
  const acquire = redlock.acquire.bind(redlock);
  const extend = redlock.extend.bind(redlock);
  redlock.acquire = async (...given) => (granted = await acquire(...given));
  redlock.extend = async (...given) => {
    const lock = await extend(...given);
    onRenewed(lock);
    return lock;
  };
  redlock.on("error", (error) => {
    if (!(error instanceof ResourceLockedError)) clientFailed = true;
  });
  return {
    granted() {
      if (granted === undefined) throw new Error("the routine runs without a lock");
      return granted;
    },
    refusal: (error) =>
      clientFailed
        ? { type: "info", reason: String(error) }
        : { type: "fail", kind: "contended", reason: String(error) },
  };
}
