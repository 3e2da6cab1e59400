import type { PossibleShares } from "./possible-shares.ts";
import type { Hold } from "../../history/holds.ts";
import { hadNoEffect, leaseAt, type LeaseRequest } from "../../history/leases.ts";
import type { FirstLease } from "./overlaps.ts";

/** A hold whose lease was in force at some instant, unless a request in `doubts` had ended it by then. */
export interface PossibleLease {
  readonly hold: Hold;
  readonly lease: FirstLease;
  readonly doubts: readonly LeaseRequest[];
}

/** An event that began a lease, with the leases of other owners that may have been in force at that instant. */
export interface UndecidedOverlap {
  readonly own: PossibleLease;
  readonly rivals: readonly PossibleLease[];
  /** How these holds may share the key. */
  readonly shares: PossibleShares;
  readonly kind: "granted" | "extended" | "reentered" | "upgraded";
  /** Of the event. */
  readonly index: number;
  readonly time: number;
}

/** The lease of this hold at this time; undefined if it was over, or if nothing can ever show that it was in force. */
export function possibleLeaseAt(hold: Hold, time: number): PossibleLease | undefined {
  const lease = leaseAt(hold, time);
  if (lease === undefined) return undefined;
  const { leaseAsked, leaseCut } = hold;
  const cut = lease.doubts.length === 0 ? leaseCut : undefined;
  return {
    hold,
    lease: { firstLeaseEnd: lease.end, firstLeaseCut: cut, firstLeaseAsked: leaseAsked },
    doubts: lease.doubts,
  };
}

/** Whether its lease was in force for certain, by what is known now: what might have ended it had no effect. */
export function wasInForce({ hold, doubts }: PossibleLease): boolean {
  return doubts.every((request) => hadNoEffect(request, hold));
}

/** How many overlaps of one request are kept: further ones would only add to the number of violations. */
const OVERLAPS_PER_REQUEST = 16;

interface Awaited {
  readonly undecided: UndecidedOverlap;
  /** How many requests it waits for. */
  requests: number;
}

/**
 * Keeps leases of which nobody knows yet whether they were in force together: a request for a shorter lease
 * was under way, and its answer decides. One that fails had no effect.
 */
export class UndecidedLeases {
  /** By the invocation of a request, the overlaps that it decides. */
  readonly #byRequest = new Map<number, Awaited[]>();
  #size = 0;

  /** How many leases are kept. */
  get size(): number {
    return this.#size;
  }

  /** None of the requests that it depends on is answered yet. */
  add(undecided: UndecidedOverlap): void {
    const awaited = { undecided, requests: 0 };
    const leases = [undecided.own, ...undecided.rivals];
    const requests = [
      ...leases.map(({ doubts }) => doubts),
      ...[...undecided.shares.values()].map((share) => share.requests),
    ];
    for (const request of new Set(requests.flat())) {
      const others = this.#byRequest.get(request.invokedIndex);
      if (others === undefined) this.#byRequest.set(request.invokedIndex, [awaited]);
      else if (others.length < OVERLAPS_PER_REQUEST) others.push(awaited);
      else continue;
      awaited.requests += 1;
    }
    if (awaited.requests > 0) this.#size += leases.length;
  }

  /** The overlaps that this answered request may have decided. */
  answered(invokedIndex: number): readonly UndecidedOverlap[] {
    const decided = this.#byRequest.get(invokedIndex);
    if (decided === undefined) return [];
    this.#byRequest.delete(invokedIndex);
    for (const awaited of decided) {
      awaited.requests -= 1;
      if (awaited.requests === 0) this.#size -= 1 + awaited.undecided.rivals.length;
    }
    return decided.map(({ undecided }) => undecided);
  }
}
