import { keyspaceNotification, releaseMessage } from "../parts/announcements.ts";
import { type ComposedLock, connectLock, type NamedParts } from "../parts/compose.ts";
import type { Grant } from "../../harness/core/lock-driver.ts";
import { notifyingKey } from "../parts/notifying-key.ts";
import { redlockParts } from "../parts/redlock-parts.ts";
import type { LockServers } from "../parts/servers.ts";
import { spin } from "../parts/waiting.ts";
import { wakeUps } from "../parts/wake-ups.ts";
import type { LossPolicy } from "../parts/renewing/watchdog.ts";
import { type HandedOver, HeldLock } from "./held-lock.ts";
import { LocalQueue } from "./local-queue.ts";
import { type LockLostError, LockUnavailableError } from "./lock-errors.ts";

/** Where locks live, and how they behave. Only `servers` is required. */
export interface LocksOptions {
  /** A server, a master that Sentinels name, a Redis Cluster, or N independent masters (Redlock, without fencing). */
  readonly servers: LockServers;
  /** The lease of a lock when none is given; the lock renews it every third of it. Default: 30 s. */
  readonly defaultLeaseMs?: number;
  /** What happens when a lease is lost. Default: `conservative`. */
  readonly onLoss?: LossPolicy;
  /** Called when a lease is lost, under every policy. */
  readonly alarm?: (lost: LockLostError) => void;
  /**
   * How to learn that a lock is free. `message` (the default; N masters can only `spin`): the releasing client says so.
   * `keyspace`: the server says so, for expiries too; needs `notify-keyspace-events Kgx`. `spin`: poll.
   */
  readonly waiting?: "message" | "keyspace" | "spin";
  /**
   * How many times in a row a lock passes to the next waiter in this process without being freed. Default: 0, because
   * other clients may have waited longer.
   */
  readonly localHandoffs?: number;
}

/** How one lock is taken. */
export interface LockOptions {
  /** An explicit lease, in milliseconds. It is not renewed, and when it ends the lock is lost. */
  readonly leaseMs?: number;
  /** Gives up waiting. */
  readonly signal?: AbortSignal;
}

/**
 * Locks by name. The usual way to hold one:
 *
 *     await using held = await locks.lock("orders");
 *     await resource.write(data, { fencingToken: held.fencingToken, signal: held.signal });
 *
 * or, without `using`:
 *
 *     const held = await locks.lock("orders");
 *     try { ... } finally { await held.unlock(); }
 */
export class Locks implements AsyncDisposable {
  readonly #lock: ComposedLock;
  readonly #options: LocksOptions;
  readonly #queue = new LocalQueue<Grant, { readonly leaseMs: number }>();
  readonly #held = new Map<string, HeldLock>();
  readonly #handoffs = new Map<string, number>();

  private constructor(lock: ComposedLock, options: LocksOptions) {
    this.#lock = lock;
    this.#options = options;
    lock.onLost(({ owner }) => this.#held.get(owner)?.lose("the lock is gone or another's"));
  }

  /** @throws when too few servers can be reached within ten seconds */
  static async connect(options: LocksOptions): Promise<Locks> {
    return new Locks(await connectLock(partsFor(options), options.servers), options);
  }

  /**
   * Takes the lock, without a limit on the wait.
   * @throws LockUnavailableError when nobody knows whether it was taken; the signal's reason when aborted
   */
  async lock(key: string, options: LockOptions = {}): Promise<HeldLock> {
    const held = await this.#take(key, Number.POSITIVE_INFINITY, options);
    if (held === undefined) throw new Error("unreachable: a client that waits for ever does not give up");
    return held;
  }

  /**
   * Takes the lock if it is free within `waitMs`; undefined when another client has it.
   * @throws LockUnavailableError when no server answers; the signal's reason when aborted
   */
  tryLock(key: string, waitMs = 0, options: LockOptions = {}): Promise<HeldLock | undefined> {
    return this.#take(key, waitMs, options);
  }

  /**
   * Runs `work` while holding the lock, and always unlocks.
   * @throws what `lock` and `work` throw
   */
  async using<T>(key: string, work: (held: HeldLock) => Promise<T>, options: LockOptions = {}): Promise<T> {
    await using held = await this.lock(key, options);
    return await work(held);
  }

  /** Closes the connections. Locks that are still held are not freed; their leases end. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const held of this.#held.values()) held.lose("its connection was closed");
    await this.#lock[Symbol.asyncDispose]();
  }

  async #take(key: string, waitMs: number, options: LockOptions): Promise<HeldLock | undefined> {
    const deadlineMs = performance.now() + waitMs;
    options.signal?.throwIfAborted();
    const waiter = this.#queue.join(key, { leaseMs: options.leaseMs ?? this.#defaultLeaseMs });
    const turn = await within(waiter, waitMs, options.signal);
    if (turn === "gave up") return this.#gaveUp(options.signal);
    if (turn.left !== undefined) return this.#hold(turn.left, options);
    try {
      const grant = await this.#contend(key, deadlineMs, options);
      if (grant !== undefined) return this.#hold(grant, options);
    } catch (error) {
      this.#queue.next(key);
      throw error;
    }
    this.#queue.next(key);
    return this.#gaveUp(options.signal);
  }

  /**
   * Contends at the servers until the deadline. A try with an unknown outcome was undone as far as possible; if it is
   * in force nevertheless, it counts as one more holder to wait for.
   * @throws LockUnavailableError when the last try failed for another reason than another holder
   */
  async #contend(key: string, deadlineMs: number, { leaseMs, signal }: LockOptions): Promise<Grant | undefined> {
    const ttlMs = leaseMs ?? this.#defaultLeaseMs;
    for (;;) {
      const waitMs = Math.max(0, deadlineMs - performance.now());
      const completion = await this.#lock.acquire(key, { ttlMs, waitMs, signal: signal ?? NEVER });
      if (completion.type === "ok") return this.#wanted(completion.value, signal);
      if (signal?.aborted === true) return undefined;
      if (completion.type === "fail" && completion.kind === "contended") return undefined;
      if (completion.type === "fail" || performance.now() >= deadlineMs) {
        throw new LockUnavailableError(key, completion.reason, completion.type === "info");
      }
    }
  }

  /** The grant, unless it came after the caller stopped wanting it. */
  async #wanted(grant: Grant, signal: AbortSignal | undefined): Promise<Grant | undefined> {
    if (signal?.aborted !== true) return grant;
    await this.#lock.release(grant);
    return undefined;
  }

  #hold(grant: Grant, { leaseMs }: LockOptions): HeldLock {
    const held: HeldLock = new HeldLock({
      lock: this.#lock,
      grant,
      leaseMs: leaseMs ?? this.#defaultLeaseMs,
      renewed: leaseMs === undefined,
      onLoss: this.#options.onLoss ?? "conservative",
      alarm: (lost) => this.#options.alarm?.(lost),
      handOver: () => this.#handOver(held),
      onEnd: () => this.#ended(held),
    });
    this.#held.set(grant.owner, held);
    return held;
  }

  /** Passes the lock to the next waiter in this process, with its own fencing token. */
  async #handOver(held: HeldLock): Promise<HandedOver> {
    const { key } = held;
    const inARow = this.#handoffs.get(key) ?? 0;
    const wish = this.#queue.nextWish(key);
    const { handOver } = this.#lock;
    if (handOver === undefined || wish === undefined || inARow >= (this.#options.localHandoffs ?? 0)) return "kept";
    const completion = await handOver(held.grant, wish.leaseMs);
    if (completion.type !== "ok") return completion.type === "info" ? "unknown" : "kept";
    if (this.#queue.nextWish(key) !== wish) {
      // The waiter gave up in the meantime; the lock is under an owner value that nobody holds.
      await this.#lock.release(completion.value);
      this.#ended(held);
      return "passed";
    }
    this.#handoffs.set(key, inARow + 1);
    this.#held.delete(held.owner);
    this.#queue.next(key, completion.value);
    return "passed";
  }

  #ended(held: HeldLock): void {
    // After a handover the turn belongs to the next holder.
    if (!this.#held.delete(held.owner)) return;
    this.#handoffs.delete(held.key);
    this.#queue.next(held.key);
  }

  #gaveUp(signal: AbortSignal | undefined): undefined {
    signal?.throwIfAborted();
    return undefined;
  }

  get #defaultLeaseMs(): number {
    return this.#options.defaultLeaseMs ?? 30_000;
  }
}

const NEVER = new AbortController().signal;

function partsFor({ servers, waiting = servers.kind === "redlock" ? "spin" : "message" }: LocksOptions): NamedParts {
  if (servers.kind === "redlock") {
    if (waiting !== "spin") throw new RangeError("on N masters nobody can announce that the lock is free: use spin");
    return redlockParts;
  }
  if (waiting === "spin") return { protocol: notifyingKey, waiting: spin({ pauseMs: 20, jitterMs: 40 }) };
  if (waiting === "keyspace" && servers.kind === "cluster") {
    throw new RangeError("a cluster's nodes notify of their own keys only: use message");
  }
  return { protocol: notifyingKey, waiting: wakeUps(waiting === "message" ? releaseMessage : keyspaceNotification) };
}

/** The waiter's turn, unless the time runs out or the signal aborts before it comes. */
async function within(
  waiter: { readonly turn: Promise<Grant | undefined>; leave(): boolean },
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly left: Grant | undefined } | "gave up"> {
  const given = Promise.withResolvers<"gave up">();
  const giveUp = (): void => {
    if (waiter.leave()) given.resolve("gave up");
  };
  const timer = Number.isFinite(waitMs) ? setTimeout(giveUp, waitMs) : undefined;
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([waiter.turn.then((left) => ({ left })), given.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}
