import type { Hold } from "../../history/holds.ts";
import { leaseAt, type LeaseRequest } from "../../history/leases.ts";
import type { FirstLease } from "./overlaps.ts";

/** A hold whose lease was in force at some instant, unless one of `doubts` had ended it by then. */
export interface Party {
  readonly hold: Hold;
  readonly lease: FirstLease;
  readonly doubts: readonly LeaseRequest[];
}

/** An event that began a lease, with the leases of others that were perhaps in force at that instant. */
export interface Meeting {
  readonly own: Party;
  readonly rivals: readonly Party[];
  readonly kind: "granted" | "extended" | "reentered";
  /** Of the event. */
  readonly index: number;
  readonly time: number;
}

/** The lease of this hold at this time; undefined if it was over, or may have been for all that will ever be known. */
export function partyAt(hold: Hold, time: number): Party | undefined {
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
export function wasInForce({ doubts }: Party): boolean {
  return doubts.every(({ outcome }) => outcome === "fail");
}

function isOpen({ outcome }: LeaseRequest): boolean {
  return outcome === undefined;
}

/** Of one request, the first meetings: where they are violations, later ones only add to their number. */
const MEETINGS_PER_REQUEST = 16;

interface Awaited {
  readonly meeting: Meeting;
  /** How many requests it waits for. */
  requests: number;
}

/**
 * Keeps the meetings of leases of which nobody knows whether they were in force together: a request for a shorter lease
 * was under way, and its answer decides. One that fails had no effect.
 */
export class UndecidedLeases {
  /** By the invocation of a request, the meetings that it decides. */
  readonly #byRequest = new Map<number, Awaited[]>();
  #size = 0;

  /** How many leases are kept. */
  get size(): number {
    return this.#size;
  }

  add(meeting: Meeting): void {
    const awaited = { meeting, requests: 0 };
    const parties = [meeting.own, ...meeting.rivals];
    for (const request of new Set(parties.flatMap(({ doubts }) => doubts.filter(isOpen)))) {
      const others = this.#byRequest.get(request.invokedIndex);
      if (others === undefined) this.#byRequest.set(request.invokedIndex, [awaited]);
      else if (others.length < MEETINGS_PER_REQUEST) others.push(awaited);
      else continue;
      awaited.requests += 1;
    }
    if (awaited.requests > 0) this.#size += parties.length;
  }

  /** The meetings that this answered request may have decided. */
  answered(invokedIndex: number): readonly Meeting[] {
    const decided = this.#byRequest.get(invokedIndex);
    if (decided === undefined) return [];
    this.#byRequest.delete(invokedIndex);
    for (const awaited of decided) {
      awaited.requests -= 1;
      if (awaited.requests === 0) this.#size -= 1 + awaited.meeting.rivals.length;
    }
    return decided.map(({ meeting }) => meeting);
  }
}
