import type { Completion, Grant } from "./driver.ts";

/** How a lease is kept alive. */
export interface RenewalRules {
  /** Renewed whenever this part of the lease has passed: a third, as Redisson does. */
  readonly everyPart: number;
  /**
   * Whether the holder's own clock ends the hold when no renewal succeeds in time. Without it, a holder that is cut off
   * from its lock goes on for ever.
   */
  readonly localDeadline: boolean;
  /** Whether unlocking ends the renewing. */
  readonly stopsAtUnlock: boolean;
}

export const SOUND_RENEWAL: RenewalRules = { everyPart: 1 / 3, localDeadline: true, stopsAtUnlock: true };

/** Which part of the lease is left when the holder is told that it lost it: it needs time to stop. */
const NOTICE_PART = 1 / 10;
/** After a renewal that failed, the next comes this many times sooner. */
const RETRY_SPEEDUP = 4;

/**
 * Keeps one lease alive: renews it at intervals, sooner after a failure, and calls `onOverdue` once when the lease is
 * about to end without a renewal having succeeded.
 */
export class Renewal {
  readonly #rules: RenewalRules;
  readonly #extend: (grant: Grant, ttlMs: number) => Promise<Completion<Grant>>;
  readonly #onOverdue: () => void;
  #grant: Grant;
  #ttlMs: number;
  #next: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    grant: Grant,
    ttlMs: number,
    rules: RenewalRules,
    extend: (grant: Grant, ttlMs: number) => Promise<Completion<Grant>>,
    onOverdue: () => void,
  ) {
    this.#rules = rules;
    this.#extend = extend;
    this.#onOverdue = onOverdue;
    this.#grant = grant;
    this.#ttlMs = ttlMs;
    this.renewed(grant, ttlMs);
  }

  /** The lease was granted or extended: everything counts from now. */
  renewed(grant: Grant, ttlMs: number): void {
    if (this.#stopped) return;
    this.#grant = grant;
    this.#ttlMs = ttlMs;
    this.#schedule(ttlMs * this.#rules.everyPart);
    clearTimeout(this.#deadline);
    if (!this.#rules.localDeadline) return;
    const leftMs = (grant.validForMs ?? ttlMs) - ttlMs * NOTICE_PART;
    this.#deadline = setTimeout(() => {
      this.stop();
      this.#onOverdue();
    }, leftMs);
  }

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
    const completion = await this.#extend(this.#grant, this.#ttlMs);
    if (this.#stopped) return;
    if (completion.type === "ok") this.renewed(completion.value, this.#ttlMs);
    else this.#schedule((this.#ttlMs * this.#rules.everyPart) / RETRY_SPEEDUP);
  }
}
