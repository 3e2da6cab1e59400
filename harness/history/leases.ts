import { NANOSECONDS_PER_MS } from "./history.ts";
import type { Hold } from "./holds.ts";
import { PossibleReentries } from "./possible-reentries.ts";
import type { GrantEvents, InvocationEvent } from "./operations.ts";

/** A lease that an operation set. Times are nanoseconds since the start of the run. */
export interface Lease {
  /** When it began at the earliest: when it was asked for, or, if later, a TTL before the end that the lock reported. */
  readonly beginTime: number;
  readonly end: number;
  readonly endAtMost: number;
}

/** An operation that may change a lease: its owner enters again, or extends. */
type LeaseOperation = Extract<InvocationEvent, { f: "acquire" | "extend" }>;

/** Number of owner values whose unanswered requests are remembered. */
const REMEMBERED_OWNERS = 10_000;

/** What `Leases` knows of the lease of a hold. */
export interface Promised {
  lease: Lease;
  /** The shortest TTL of all its operations of unknown outcome, in nanoseconds: it may be in force at any time. */
  shortestUnknown: number;
  /**
   * By process, when the lease that its unanswered operation asks for would end. Absent for most holds: few are
   * extended or re-entered.
   */
  asked: Map<number, number> | undefined;
}

/**
 * Keeps the leases of holds. One hold has one lease, however often it was entered: the last grant, re-entry or
 * extension sets it, longer or shorter.
 *
 * An operation that asks for a shorter lease may take effect long before its client hears of it, if the client ever
 * does: from its invocation on the lock promises no more than it asks for, unless it certainly failed. An operation of
 * unknown outcome may take effect at any time after its invocation, even after a later one was acknowledged: each later
 * lease is promised for no more than the TTL that the unknown operation asked for, counted from the earliest beginning of
 * that lease. The same holds for an acquire of unknown outcome that may have entered the hold again.
 */
export class Leases {
  /** By key and owner value, the shortest TTL of the operations of unknown outcome: it may affect a later hold. */
  readonly #shortestByOwner = new Map<string, number>();
  /** By process, the holds that its open operation may concern. */
  readonly #asking = new Map<number, readonly Hold[]>();
  /** By key, the TTLs that acquires of unknown outcome asked for, in nanoseconds. */
  readonly #reentries = new Map<string, PossibleReentries<number>>();
  readonly #sameClient: (earlier: number, later: number) => boolean;

  /** @param sameClient true unless two processes belong to two clients for certain */
  constructor(sameClient: (earlier: number, later: number) => boolean) {
    this.#sameClient = sameClient;
  }

  begin(hold: Hold, lease: Lease): void {
    for (const ttl of this.#reentriesOf(hold.key).grant(hold.process, hold.owner)) {
      this.#remember(nameOf(hold), ttl);
    }
    const shortestUnknown = this.#shortestByOwner.get(nameOf(hold)) ?? Infinity;
    hold.promised = { lease, shortestUnknown, asked: undefined };
    this.set(hold, lease);
  }

  /** An operation that was acknowledged sets the lease. */
  set(hold: Hold, lease: Lease): void {
    const { promised } = hold;
    if (promised === undefined) return;
    const longest = lease.beginTime + promised.shortestUnknown;
    promised.lease = longest < lease.end ? { ...lease, end: longest } : lease;
    this.#update(hold);
  }

  /** An operation asks for another lease of these holds, or of one of them. */
  ask({ f, key, process, time, value }: LeaseOperation, holds: readonly Hold[]): void {
    if (holds.length === 0) {
      // An extension of a hold from before the history: until its answer it may reach a later hold of the owner value.
      if (f === "extend") this.#remember(nameOf({ key, owner: value.owner }), value.ttlMs * NANOSECONDS_PER_MS);
      return;
    }
    this.#asking.set(process, holds);
    for (const hold of holds) {
      const { promised } = hold;
      if (promised === undefined) continue;
      promised.asked ??= new Map();
      promised.asked.set(process, time + value.ttlMs * NANOSECONDS_PER_MS);
      this.#update(hold);
    }
  }

  /** The operation of this process is over. Where its outcome is unknown, it may take effect at any time from now on. */
  answer({ f, key, process, time, value }: LeaseOperation, type: "ok" | "fail" | "info"): void {
    const holds = this.#asking.get(process);
    this.#asking.delete(process);
    const ttl = value.ttlMs * NANOSECONDS_PER_MS;
    if (f === "acquire" && type === "info") {
      const owner = this.#reentriesOf(key).add(process, ttl);
      if (owner !== undefined) this.#remember(nameOf({ key, owner }), ttl);
    }
    for (const hold of holds ?? []) {
      const { promised } = hold;
      promised?.asked?.delete(process);
      if (promised !== undefined && type === "info") {
        promised.shortestUnknown = Math.min(promised.shortestUnknown, ttl);
        this.#remember(nameOf(hold), promised.shortestUnknown);
        promised.lease = { ...promised.lease, end: Math.min(promised.lease.end, time + ttl) };
      }
      this.#update(hold);
    }
  }

  #reentriesOf(key: string): PossibleReentries<number> {
    const known = this.#reentries.get(key);
    if (known !== undefined) return known;
    const fresh = new PossibleReentries<number>(this.#sameClient);
    this.#reentries.set(key, fresh);
    return fresh;
  }

  #remember(name: string, ttl: number): void {
    const shortest = Math.min(ttl, this.#shortestByOwner.get(name) ?? Infinity);
    this.#shortestByOwner.delete(name);
    this.#shortestByOwner.set(name, shortest);
    const [oldest] = this.#shortestByOwner.keys();
    if (this.#shortestByOwner.size > REMEMBERED_OWNERS && oldest !== undefined) this.#shortestByOwner.delete(oldest);
  }

  #update(hold: Hold): void {
    const { promised } = hold;
    if (promised === undefined) return;
    const { lease, asked } = promised;
    hold.leaseEnd = asked === undefined ? lease.end : Math.min(lease.end, ...asked.values());
    hold.leaseEndAtMost = lease.endAtMost;
  }
}

/**
 * The lease that a grant or an extension set. It runs from the instant at which the lock answered (`grantedAt`, else
 * the completion) for the validity it reported; if it reports none, from the invocation for the TTL.
 */
export function leaseOf(grant: {
  readonly invocation: { readonly time: number; readonly value: { readonly ttlMs: number } };
  readonly completion: {
    readonly time: number;
    readonly value: Pick<GrantEvents["completion"]["value"], "validForMs" | "grantedAt">;
  };
}): Lease {
  const { invocation, completion } = grant;
  const { validForMs, grantedAt } = completion.value;
  const invokedTime = invocation.time;
  const ttl = invocation.value.ttlMs * NANOSECONDS_PER_MS;
  if (validForMs === undefined) {
    return { beginTime: invokedTime, end: invokedTime + ttl, endAtMost: completion.time + ttl };
  }
  const answered = Math.min(grantedAt ?? completion.time, completion.time);
  const end = answered + validForMs * NANOSECONDS_PER_MS;
  // The lock counts the validity from before it takes the key: a lock that has waited began the lease long after it was
  // asked. A validity longer than the TTL shows that the lock uses another TTL, so it says nothing of the beginning.
  const isWithinTtl = validForMs <= invocation.value.ttlMs;
  const beginTime = isWithinTtl ? Math.max(invokedTime, end - ttl) : invokedTime;
  return { beginTime, end, endAtMost: Math.max(end, completion.time + ttl) };
}

function nameOf({ key, owner }: Pick<Hold, "key" | "owner">): string {
  return JSON.stringify([key, owner]);
}
