import type { Completion, Grant, Renewed } from "../../../harness/core/lock-driver.ts";
import { LeaseBounds } from "./lease-bounds.ts";

/** How a lease is kept alive. */
export interface RenewalRules {
  /** The lease is renewed whenever this part of it has passed: a third, as in Redisson. */
  readonly everyPart: number;
  /**
   * Whether the holder's own clock ends the hold when no renewal succeeds in time. Without it, a holder that is cut off
   * from its lock carries on for ever.
   */
  readonly localDeadline: boolean;
  /** Whether unlocking ends the renewing. */
  readonly stopsAtUnlock: boolean;
}

/** Renews every third of the lease; tells the holder in time when that fails; unlocking ends it. */
export const SOUND_RENEWAL: RenewalRules = { everyPart: 1 / 3, localDeadline: true, stopsAtUnlock: true };

/** The part of the lease that is left when the holder is told that it lost it: the holder needs time to stop. */
const NOTICE_PART = 1 / 10;
/** After a failed renewal, the next one comes this many times sooner. */
const RETRY_SPEEDUP = 4;

/**
 * Keeps one lease alive: renews it at intervals, sooner after a failure, and calls `onOverdue` once when the lease is
 * about to end without a successful renewal.
 */
export class Renewal {
  readonly #rules: RenewalRules;
  readonly #extend: (grant: Grant, ttlMs: number) => Promise<Completion<Grant>>;
  readonly #onOverdue: () => void;
  readonly #onRenewed: (renewed: Renewed) => void;
  #grant: Grant;
  #ttlMs: number;
  readonly #bounds = new LeaseBounds();
  /** Until when the lease was promised, on the monotonic clock. */
  #validUntilMs = -Infinity;
  #next: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    grant: Grant,
    ttlMs: number,
    rules: RenewalRules,
    extend: (grant: Grant, ttlMs: number) => Promise<Completion<Grant>>,
    onOverdue: () => void,
    onRenewed: (renewed: Renewed) => void = () => {},
  ) {
    this.#rules = rules;
    this.#extend = extend;
    this.#onOverdue = onOverdue;
    this.#onRenewed = onRenewed;
    this.#grant = grant;
    this.#ttlMs = ttlMs;
    this.renewed(grant, ttlMs);
  }

  /**
   * The lease was granted or extended: everything counts from now.
   * @param askedAtMs when it was asked for, on the monotonic clock
   */
  renewed(grant: Grant, ttlMs: number, askedAtMs = performance.now()): void {
    if (this.#stopped) return;
    this.#grant = grant;
    this.#ttlMs = ttlMs;
    const now = performance.now();
    this.#endsAt(Math.min(now + (grant.validForMs ?? ttlMs), askedAtMs + this.#bounds.longestMs));
  }

  /** The holder asks for a lease of this length, which may be in force from now on. Returns what to call when it is answered. */
  asked(ttlMs: number): () => void {
    const answered = this.#bounds.ask(ttlMs);
    const end = performance.now() + ttlMs;
    if (!this.#stopped && end < this.#validUntilMs) this.#endsAt(end);
    return answered;
  }

  #endsAt(validUntilMs: number): void {
    this.#validUntilMs = validUntilMs;
    const lengthMs = Math.min(this.#ttlMs, this.#bounds.longestMs);
    this.#schedule(lengthMs * this.#rules.everyPart);
    clearTimeout(this.#deadline);
    if (!this.#rules.localDeadline) return;
    this.#deadline = setTimeout(
      () => {
        this.stop();
        this.#onOverdue();
      },
      validUntilMs - performance.now() - lengthMs * NOTICE_PART,
    );
  }

  /** Ends the renewing. A pending renewal is still answered, but the answer has no effect. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#next);
    clearTimeout(this.#deadline);
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#next);
    this.#next = setTimeout(() => void this.#renew(), afterMs);
  }

  async #renew(): Promise<void> {
    const askedAt = performance.now();
    const ttlMs = this.#ttlMs;
    const completion = await this.#extend(this.#grant, ttlMs);
    if (this.#stopped) return;
    if (completion.type !== "ok") this.#schedule((this.#ttlMs * this.#rules.everyPart) / RETRY_SPEEDUP);
    // Meanwhile the holder may have extended to a longer lease, whose end must not move forward.
    else if (performance.now() + (completion.value.validForMs ?? this.#ttlMs) < this.#validUntilMs) {
      this.#schedule(this.#ttlMs * this.#rules.everyPart);
    } else {
      this.renewed(completion.value, this.#ttlMs, askedAt);
      const { key, owner, validForMs = ttlMs, validFromMs = askedAt } = completion.value;
      this.#onRenewed({ key, owner, validForMs, validFromMs });
    }
  }
}
