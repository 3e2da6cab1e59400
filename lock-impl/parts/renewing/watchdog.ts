import type {
  AcquireOptions,
  Completion,
  ExtendOptions,
  Grant,
  LockClient,
  LockDriver,
  Renewed,
} from "../../../harness/core/lock-driver.ts";
import { Renewal, type RenewalRules, SOUND_RENEWAL } from "./renewal.ts";

/**
 * What happens when a lease cannot be renewed. `conservative`: the holder is told at once, while the lease still lasts,
 * so that it can stop. `aggressive`: it carries on and is never told. `check-at-unlock`: it carries on, learns from its
 * release that the lock was no longer its own, and rolls back.
 */
export type LossPolicy = "conservative" | "aggressive" | "check-at-unlock";

/** A lock that renews its leases by itself until they are released. */
export function withWatchdog(
  driver: LockDriver,
  policy: LossPolicy,
  rules: RenewalRules = { ...SOUND_RENEWAL, localDeadline: policy === "conservative" },
): LockDriver {
  return { connect: async (environment) => new WatchdogLock(await driver.connect(environment), policy, rules) };
}

type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

class WatchdogLock implements LockClient {
  readonly #lock: LockClient;
  readonly #policy: LossPolicy;
  readonly #rules: RenewalRules;
  readonly #renewals = new Map<string, Renewal>();
  readonly #lostListeners = new Set<LostListener>();
  readonly #renewedListeners = new Set<(renewed: Renewed) => void>();

  constructor(lock: LockClient, policy: LossPolicy, rules: RenewalRules) {
    this.#lock = lock;
    this.#policy = policy;
    this.#rules = rules;
    lock.onLost?.(({ key, owner }) => this.#lost(key, owner));
  }

  async acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    const completion = await this.#lock.acquire(key, options);
    if (completion.type === "ok") this.#watch(completion.value, options.ttlMs);
    return completion;
  }

  /** Extends once on request; from then on the watchdog renews to this length. */
  async extend(grant: Grant, ttlMs: number): Promise<Completion<Grant>> {
    const askedAt = performance.now();
    const answered = this.#renewals.get(nameOf(grant))?.asked(ttlMs);
    const completion = await this.#extendOnce(grant, ttlMs, {});
    if (completion.type !== "info") answered?.();
    if (completion.type === "ok") this.#renewals.get(nameOf(grant))?.renewed(completion.value, ttlMs, askedAt);
    return completion;
  }

  async release(grant: Grant): Promise<Completion<{ readonly released: boolean }>> {
    // First: a renewal that is sent after the release could renew another client's next hold.
    if (this.#rules.stopsAtUnlock) this.#forget(grant);
    return this.#lock.release(grant);
  }

  onLost(listener: LostListener): void {
    this.#lostListeners.add(listener);
  }

  onRenewed(listener: (renewed: Renewed) => void): void {
    this.#renewedListeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const renewal of this.#renewals.values()) renewal.stop();
    await this.#lock[Symbol.asyncDispose]();
  }

  #watch(grant: Grant, ttlMs: number): void {
    const { key, owner } = grant;
    const running = this.#renewals.get(nameOf(grant));
    if (running !== undefined) {
      running.renewed(grant, ttlMs);
      return;
    }
    // A renewal that is pending while the holder extends to a longer lease must not shorten it again.
    const renew = (present: Grant, leaseMs: number): Promise<Completion<Grant>> =>
      this.#extendOnce(present, leaseMs, { atLeast: true });
    const renewal = new Renewal(
      grant,
      ttlMs,
      this.#rules,
      renew,
      () => this.#lost(key, owner),
      (renewed) => {
        for (const listener of this.#renewedListeners) listener(renewed);
      },
    );
    this.#renewals.set(nameOf(grant), renewal);
  }

  async #extendOnce(grant: Grant, ttlMs: number, options: ExtendOptions): Promise<Completion<Grant>> {
    if (this.#lock.extend === undefined) throw new Error("a watchdog needs a lock that can be extended");
    return this.#lock.extend(grant, ttlMs, options);
  }

  #lost(key: string, owner: string): void {
    this.#forget({ key, owner });
    if (this.#policy !== "conservative") return;
    for (const listener of this.#lostListeners) listener({ key, owner });
  }

  #forget(grant: Pick<Grant, "key" | "owner">): void {
    this.#renewals.get(nameOf(grant))?.stop();
    this.#renewals.delete(nameOf(grant));
  }
}

function nameOf({ key, owner }: Pick<Grant, "key" | "owner">): string {
  return `${key}\0${owner}`;
}
