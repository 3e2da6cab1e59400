import type { ComposedLock } from "../parts/compose.ts";
import type { Grant } from "../../harness/core/lock-driver.ts";
import { LeaseBounds } from "../parts/renewing/lease-bounds.ts";
import { Renewal, SOUND_RENEWAL } from "../parts/renewing/renewal.ts";
import type { LossPolicy } from "../parts/renewing/watchdog.ts";
import { LockLostError } from "./lock-errors.ts";

/**
 * The result of unlocking. `released`: it was ours until now. `lost`: it was no longer ours, so work done while holding
 * it must be undone. `unknown`: no answer; the lock is free at the latest when its lease ends.
 */
export type Unlocked = "released" | "lost" | "unknown";

/** Whether the next waiter has the lock now, no waiter took it, or nobody knows. */
export type HandedOver = "passed" | "kept" | "unknown";

export interface HeldLockOptions {
  readonly lock: ComposedLock;
  readonly grant: Grant;
  readonly leaseMs: number;
  readonly renewed: boolean;
  readonly onLoss: LossPolicy;
  /** Called once when the lease is lost, under every policy. */
  readonly alarm: (lost: LockLostError) => void;
  /** Called instead of a release: gives the lock to a waiter in this process, if there is one. */
  readonly handOver: (held: HeldLock) => Promise<HandedOver>;
  /** Called once or twice, when the lock is no longer held here. */
  readonly onEnd: () => void;
}

/** A held lock. Dispose it, or unlock it in `finally`. */
export class HeldLock implements AsyncDisposable {
  readonly #options: HeldLockOptions;
  readonly #controller = new AbortController();
  readonly #renewal: Renewal | undefined;
  #grant: Grant;
  readonly #bounds = new LeaseBounds();
  #validUntilMs = 0;
  #deadline: NodeJS.Timeout | undefined;
  #lost: LockLostError | undefined;
  #unlocking: Promise<Unlocked> | undefined;

  constructor(options: HeldLockOptions) {
    this.#options = options;
    this.#grant = options.grant;
    this.#counted(options.grant);
    this.#renewal = options.renewed ? this.#renewing() : undefined;
  }

  get key(): string {
    return this.#grant.key;
  }

  /** The owner value under which it is held; a resource has no use for it. */
  get owner(): string {
    return this.#grant.owner;
  }

  /** The grant as of its last extension. */
  get grant(): Grant {
    return this.#grant;
  }

  /**
   * Send it with every write, so that the resource can refuse the writes of a holder that outlived its lease. Undefined
   * on N masters, which have no common counter.
   */
  get fencingToken(): number | undefined {
    return this.#grant.fence;
  }

  /** Aborts, with a `LockLostError`, when the lease is lost; never under the policies that carry on. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** How long from now the lease may be trusted, in milliseconds; 0 when it is over. */
  remainingMs(): number {
    return this.#lost === undefined ? Math.max(0, this.#validUntilMs - performance.now()) : 0;
  }

  /**
   * Sets the lease to `leaseMs` from now.
   * @throws LockLostError when it is lost; Error when no server answered
   */
  async extend(leaseMs: number): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#unlocking !== undefined) throw new LockLostError(this.key, "it was unlocked");
    const { extend } = this.#options.lock;
    if (extend === undefined) throw new Error("this lock cannot be extended");
    const askedAt = performance.now();
    const answered = [this.#bounds.ask(leaseMs), this.#renewal?.asked(leaseMs)];
    this.#endsAt(Math.min(this.#validUntilMs, askedAt + leaseMs));
    const completion = await extend(this.#grant, leaseMs);
    if (completion.type !== "info") for (const tell of answered) tell?.();
    // The lock's client was told, and has told us.
    if (this.#lost !== undefined) throw this.#lost;
    if (completion.type !== "ok") throw new Error(`the lease of ${this.key} was not extended: ${completion.reason}`);
    this.#counted(completion.value, askedAt);
    this.#renewal?.renewed(completion.value, leaseMs, askedAt);
  }

  /** Releases the lock. A second call gives the same answer. */
  unlock(): Promise<Unlocked> {
    this.#unlocking ??= this.#unlock();
    return this.#unlocking;
  }

  /**
   * Unlocks.
   * @throws LockLostError under `check-at-unlock` when it was no longer ours
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const unlocked = await this.unlock();
    if (unlocked === "lost" && this.#options.onLoss === "check-at-unlock") {
      throw this.#lost ?? new LockLostError(this.key, "it was not ours any more when it was unlocked");
    }
  }

  /** The lease is known to be gone. */
  lose(reason: string): void {
    if (this.#lost !== undefined || this.#unlocking !== undefined) return;
    this.#lost = new LockLostError(this.key, reason);
    this.#stop();
    this.#options.alarm(this.#lost);
    if (this.#options.onLoss === "conservative") this.#controller.abort(this.#lost);
    // From here on other clients may hold the lock.
    this.#options.onEnd();
  }

  async #unlock(): Promise<Unlocked> {
    // First: a renewal that is sent after the release could renew another client's next hold.
    this.#stop();
    try {
      const handedOver = this.#lost === undefined ? await this.#options.handOver(this) : "kept";
      if (handedOver === "passed") return "released";
      const completion = await this.#options.lock.release(this.#grant);
      if (this.#lost !== undefined) return "lost";
      if (completion.type === "ok" && completion.value.released) return "released";
      return completion.type === "ok" && handedOver === "kept" ? this.#foundLost() : "unknown";
    } finally {
      this.#options.onEnd();
    }
  }

  #foundLost(): Unlocked {
    this.#lost = new LockLostError(this.key, "it was not ours any more when it was unlocked");
    this.#options.alarm(this.#lost);
    return "lost";
  }

  #renewing(): Renewal {
    const { lock, leaseMs, onLoss } = this.#options;
    const { extend } = lock;
    if (extend === undefined) throw new Error("a watchdog needs a lock that can be extended");
    const renew = async (grant: Grant, ms: number) => {
      // A renewal that is pending while the holder extends to a longer lease must not shorten it again.
      const askedAt = performance.now();
      const completion = await extend(grant, ms, { atLeast: true });
      if (completion.type === "ok") this.#counted(completion.value, askedAt);
      return completion;
    };
    // Holders that carry on learn of a loss when the server says so, at the latest when they unlock.
    const rules = { ...SOUND_RENEWAL, localDeadline: onLoss === "conservative" };
    return new Renewal(this.#grant, leaseMs, rules, renew, () => this.lose("it could not be renewed in time"));
  }

  /** Takes over a new lease and starts its clock. Without a watchdog its end is the end of a conservative hold. */
  #counted(grant: Grant, askedAtMs = performance.now()): void {
    this.#grant = grant;
    this.#endsAt(Math.min(performance.now() + (grant.validForMs ?? 0), askedAtMs + this.#bounds.longestMs));
  }

  #endsAt(validUntilMs: number): void {
    this.#validUntilMs = validUntilMs;
    clearTimeout(this.#deadline);
    if (this.#options.renewed || this.#options.onLoss !== "conservative") return;
    this.#deadline = setTimeout(() => this.lose("its lease is over"), validUntilMs - performance.now());
  }

  #stop(): void {
    clearTimeout(this.#deadline);
    this.#renewal?.stop();
  }
}
