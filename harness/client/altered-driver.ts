import type {
  AcquireOptions,
  Completion,
  Grant,
  LockClient,
  LockDriver,
  LockEnvironment,
  Queued,
  Renewed,
} from "../core/lock-driver.ts";
import type { Supports } from "../core/sharing.ts";
import { clientName } from "../core/topology.ts";
import { lostProblem, renewedProblem } from "./driver-answers.ts";

/** How a counterfactual run alters what a client does with the lock. */
export type Alteration =
  /**
   * A grant or an extension is discarded if its TTL, counted from the request, or its reported validity is over when it
   * arrives, unless the lock has renewed the lease meanwhile.
   */
  | { readonly kind: "elapsed-check" }
  /** A timer in the client tells it that its lease is gone when the last granted or renewed lease ends. */
  | { readonly kind: "local-timer" }
  /**
   * The `ordinal`-th release or extension of this client, counted from 1, is not carried out: the release finds nothing, the
   * extension fails. Of acquires, that one and all later ones are refused.
   */
  | {
      readonly kind: "leave-out";
      readonly client: number;
      readonly f: "acquire" | "release" | "extend";
      readonly ordinal: number;
    }
  /**
   * In place of its `ordinal`-th release, counted from 1, this client asks for the same key as another owner, by a lock object that it
   * connects for this: its own may answer from memory. The release fails, with the outcome of that try as its reason (`probeReason`).
   */
  | { readonly kind: "probe"; readonly client: number; readonly ordinal: number };

/**
 * What a probe found: the key was free, another owner is refused as contended, or neither is certain. A grant under the
 * same owner value is a re-entry, and says nothing.
 */
export const PROBED = ["free", "held", "unclear"] as const;
export type Probed = (typeof PROBED)[number];

/** The reason with which a release fails that was replaced by a probe. */
export function probeReason(probed: Probed): string {
  return `replaced by a try of another owner: ${probed}`;
}

type Lost = { readonly key: string; readonly owner: string };

/** By lease: the reading of `performance.now()` until which it was renewed while something was awaited. */
type RenewedUntil = Map<string, number>;

/** The same lock, used by a client that does one thing differently. It runs where the lock runs, on the same clocks. */
export function alteredDriver(driver: LockDriver, alteration: Alteration): LockDriver {
  return {
    supports: driver.supports,
    leases: driver.leases,
    connect: async (environment) =>
      new AlteredClient(await driver.connect(environment), alteration, environment, () => driver.connect(environment)),
  };
}

class AlteredClient implements LockClient {
  readonly #lock: LockClient;
  readonly #alteration: Alteration;
  readonly #name: string;
  /** Connects a lock object that knows nothing of what this client holds. */
  readonly #another: () => Promise<LockClient>;
  /** By lease, how many grants of it the client has received and not released: one, plus one for each re-entry. */
  readonly #entries = new Map<string, number>();
  /** By lease, the timer at its end. */
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** What each acquire and extend under way has heard of renewals: several tasks of the client may wait for one each. */
  readonly #awaiting = new Set<RenewedUntil>();
  readonly #lostListeners: ((lost: Lost) => void)[] = [];
  readonly #renewedListeners: ((renewed: Renewed) => void)[] = [];
  readonly #count = { acquire: 0, release: 0, extend: 0 };
  /** How each lease was asked for last, if a probe may have to ask the same. */
  readonly #asked = new Map<string, AcquireOptions>();
  readonly supports?: Supports;
  readonly extend?: (grant: Grant, ttlMs: number) => Promise<Completion<Grant>>;

  constructor(
    lock: LockClient,
    alteration: Alteration,
    { client }: LockEnvironment,
    another: () => Promise<LockClient>,
  ) {
    this.#lock = lock;
    this.#another = another;
    this.#alteration = alteration;
    this.#name = client;
    if (lock.supports !== undefined) this.supports = lock.supports;
    const extend = lock.extend?.bind(lock);
    if (extend !== undefined) this.extend = (grant, ttlMs) => this.#extend(extend, grant, ttlMs);
    lock.onLost?.((lost) => this.#tellLost(lost));
    lock.onRenewed?.((renewed) => this.#tellRenewed(renewed));
  }

  async acquire(key: string, options: AcquireOptions): Promise<Completion<Grant>> {
    if (this.#isAltered("acquire")) return { type: "fail", kind: "contended", reason: "left out" };
    const askedAt = performance.now();
    const { completion, renewed } = await this.#hearing(() => this.#lock.acquire(key, options));
    if (completion.type !== "ok") return completion;
    const arrivedAt = performance.now();
    const grant = completion.value;
    if (this.#alteration.kind === "probe") this.#asked.set(nameOf(grant), options);
    const renewedUntil = renewed.get(nameOf(grant));
    // A lock that may have waited and reports no validity may have begun the lease only just now.
    const endsAt = renewedUntil ?? endOf(grant, (options.waitMs > 0 ? arrivedAt : askedAt) + options.ttlMs);
    if (this.#alteration.kind === "elapsed-check" && endsAt <= arrivedAt) {
      void this.#lock.release(grant).catch(() => {});
      return { type: "fail", kind: "error", reason: "the lease was over on arrival: discarded" };
    }
    this.#entries.set(nameOf(grant), this.#entriesOf(grant) + 1);
    this.#watch(grant, endsAt);
    return completion;
  }

  async release(grant: Grant): Promise<Completion<{ readonly released: boolean }>> {
    const left = this.#entriesOf(grant) - 1;
    // An inner release leaves the lease as it is.
    if (left > 0) this.#entries.set(nameOf(grant), left);
    else this.#forget(grant);
    // The answer of a lock that compares the owner value, so that triggers that wait for the release still fire.
    const isAltered = this.#isAltered("release");
    if (isAltered && this.#alteration.kind === "probe") {
      return { type: "fail", kind: "error", reason: probeReason(await this.#probe(grant)) };
    }
    // One that counts entries says of an inner release that it took place.
    if (isAltered) return { type: "ok", value: { released: left > 0 } };
    return this.#lock.release(grant);
  }

  onLost(listener: (lost: Lost) => void): void {
    this.#lostListeners.push(listener);
  }

  onQueued(listener: (queued: Queued) => void): void {
    this.#lock.onQueued?.(listener);
  }

  onRenewed(listener: (renewed: Renewed) => void): void {
    this.#renewedListeners.push(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await this.#lock[Symbol.asyncDispose]();
  }

  async #extend(extend: NonNullable<LockClient["extend"]>, grant: Grant, ttlMs: number): Promise<Completion<Grant>> {
    if (this.#isAltered("extend")) return { type: "fail", kind: "error", reason: "left out" };
    const askedAt = performance.now();
    const { completion, renewed } = await this.#hearing(() => extend(grant, ttlMs));
    if (completion.type !== "ok") return completion;
    const endsAt = endOf(completion.value, askedAt + ttlMs);
    const renewedUntil = renewed.get(nameOf(grant)) ?? endsAt;
    if (this.#alteration.kind === "elapsed-check" && Math.max(endsAt, renewedUntil) <= performance.now()) {
      return { type: "info", reason: "the lease was over on arrival: discarded" };
    }
    this.#prolong(completion.value, endsAt);
    return completion;
  }

  /** Calls the lock, and notes which leases it says that it has renewed meanwhile. */
  async #hearing(
    call: () => Promise<Completion<Grant>>,
  ): Promise<{ readonly completion: Completion<Grant>; readonly renewed: RenewedUntil }> {
    const renewed: RenewedUntil = new Map();
    this.#awaiting.add(renewed);
    try {
      return { completion: await call(), renewed };
    } finally {
      this.#awaiting.delete(renewed);
    }
  }

  /** Counts an operation, and says whether it is the one that the alteration names. */
  #isAltered(f: "acquire" | "release" | "extend"): boolean {
    this.#count[f] += 1;
    const alteration = this.#alteration;
    const named = alteration.kind === "leave-out" ? alteration.f : alteration.kind === "probe" ? "release" : undefined;
    if (named !== f || !("ordinal" in alteration)) return false;
    if (clientName(alteration.client) !== this.#name) return false;
    return f === "acquire" ? alteration.ordinal <= this.#count[f] : alteration.ordinal === this.#count[f];
  }

  async #probe({ key, owner }: Grant): Promise<Probed> {
    const asked = this.#asked.get(nameOf({ key, owner }));
    if (asked === undefined) return "unclear";
    const stranger = await this.#another();
    try {
      const completion = await stranger.acquire(key, { ...asked, waitMs: 0 });
      if (completion.type === "ok") return completion.value.owner === owner ? "unclear" : "free";
      return completion.type === "fail" && completion.kind === "contended" ? "held" : "unclear";
    } finally {
      disposed(stranger);
    }
  }

  /** How many grants of this lease the client has received and not released. */
  #entriesOf(lease: Lost): number {
    return this.#entries.get(nameOf(lease)) ?? 0;
  }

  /** Moves the end of a watched lease. */
  #prolong(lease: Lost, endsAt: number): void {
    if (this.#entriesOf(lease) > 0) this.#watch(lease, endsAt);
  }

  /** Sets the timer that ends a lease, in place of the one it may have. */
  #watch({ key, owner }: Lost, endsAt: number): void {
    if (this.#alteration.kind !== "local-timer") return;
    const name = nameOf({ key, owner });
    clearTimeout(this.#timers.get(name));
    const leftMs = Math.max(0, endsAt - performance.now());
    this.#timers.set(
      name,
      setTimeout(() => this.#tellLost({ key, owner }), leftMs),
    );
  }

  /** The client no longer holds this lease. */
  #forget(lease: Lost): void {
    const name = nameOf(lease);
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    this.#entries.delete(name);
  }

  #tellLost(lost: Lost): void {
    // An invalid notice goes to the listeners, which refuse it as they do without the alteration.
    if (lostProblem(lost) === undefined) this.#forget(lost);
    for (const listener of this.#lostListeners) listener(lost);
  }

  #tellRenewed(renewed: Renewed): void {
    if (renewedProblem(renewed) === undefined) {
      const endsAt = endOf(renewed, performance.now());
      for (const heard of this.#awaiting) heard.set(nameOf(renewed), endsAt);
      this.#prolong(renewed, endsAt);
    }
    for (const listener of this.#renewedListeners) listener(renewed);
  }
}

/** What its disposal says is no concern of the client that has asked through it. */
function disposed(lock: LockClient): void {
  void Promise.try(() => lock[Symbol.asyncDispose]()).catch(() => {});
}

/** The reading of `performance.now()` at which a lease reported now ends; `otherwise` if no validity is reported. */
function endOf({ validForMs, validFromMs = performance.now() }: Partial<Grant>, otherwise: number): number {
  return validForMs === undefined ? otherwise : validFromMs + validForMs;
}

function nameOf({ key, owner }: Lost): string {
  return JSON.stringify([key, owner]);
}
