import type { GrantEvents } from "../operations.ts";
import { NANOSECONDS_PER_MS } from "../history.ts";

/** A lease that an operation set. Times are nanoseconds since the start of the run. */
export interface Lease {
  /** When it began at the earliest: when it was asked for, or, if later, a TTL before the end that the lock reported. */
  readonly beginTime: number;
  readonly end: number;
  readonly endAtMost: number;
  /** The lease as it was asked for, if the lock reported a validity and had no reason to wait before it set the lease. */
  readonly asked?: AskedLease | undefined;
}

/** A lease by its request alone. The servers may have counted it from the request on, and so ended it by `end`. */
export interface AskedLease {
  readonly invokedIndex: number;
  readonly time: number;
  /** In nanoseconds. */
  readonly ttl: number;
  /** A coarse clock leaves it later than `ttl` after `time`. */
  readonly end: number;
  /** How long it is by the lock's promise, in nanoseconds. */
  readonly promised: number;
}

/** In the value of a request, beside a `ttlMs` that is as short as a coarse clock leaves it: what was asked for. */
export const BY_THE_CLOCK = Symbol("what a lease was asked for by a coarse clock");

/** In milliseconds. */
interface RequestByTheClock {
  readonly askedMs: number;
  /** How long the lease may be by that clock at most. */
  readonly longestMs: number;
}

/** What is certain of a lease that is one of these two: it lasts until the first of their ends. */
export function shorterLease(one: Lease, other: Lease): Lease {
  const endAtMost = Math.max(one.endAtMost, other.endAtMost);
  return one.end <= other.end ? { ...one, endAtMost } : { ...other, endAtMost };
}

/**
 * The lease that a grant or an extension set. It runs from the instant at which the lock answered (`grantedAt`, else
 * the completion) for the validity it reported; if it reports none, from the invocation for the TTL.
 */
export function leaseOf(grant: {
  readonly invocation: {
    readonly index: number;
    readonly time: number;
    readonly value: {
      readonly ttlMs: number;
      readonly waitMs?: number | undefined;
      readonly [BY_THE_CLOCK]?: RequestByTheClock | undefined;
    };
  };
  readonly completion: {
    readonly time: number;
    readonly value: Pick<GrantEvents["completion"]["value"], "validForMs" | "grantedAt">;
  };
}): Lease {
  const { invocation, completion } = grant;
  const { validForMs } = completion.value;
  const invokedTime = invocation.time;
  const ttl = invocation.value.ttlMs * NANOSECONDS_PER_MS;
  const longest = longestTtlMs(invocation) * NANOSECONDS_PER_MS;
  if (validForMs === undefined) {
    return { beginTime: invokedTime, end: invokedTime + ttl, endAtMost: completion.time + longest };
  }
  const from = countedFrom(grant);
  const end = from + validForMs * NANOSECONDS_PER_MS;
  // The lock counts the validity from before it takes the key: a lock that has waited began the lease long after it was
  // asked. A validity longer than the TTL shows that the lock uses another TTL, so it says nothing of the beginning.
  const isWithinTtl = validForMs <= longestTtlMs(invocation);
  const beginTime = isWithinTtl ? Math.max(invokedTime, end - longest) : invokedTime;
  const mayWait = (invocation.value.waitMs ?? 0) > 0;
  const asked = mayWait ? undefined : askedLease(invocation, end - from);
  return { beginTime, end, endAtMost: Math.max(end + longest - ttl, completion.time + longest), asked };
}

/** From when a lease counts, as its holder was told: a stated moment, or else the answer; without a validity, the request. */
export function countedFrom({ invocation, completion }: Parameters<typeof leaseOf>[0]): number {
  const { validForMs, grantedAt } = completion.value;
  return validForMs === undefined ? invocation.time : Math.min(grantedAt ?? completion.time, completion.time);
}

function askedLease({ index, time, value }: Parameters<typeof leaseOf>[0]["invocation"], promised: number): AskedLease {
  const { askedMs, longestMs } = value[BY_THE_CLOCK] ?? { askedMs: value.ttlMs, longestMs: value.ttlMs };
  const end = time + longestMs * NANOSECONDS_PER_MS;
  return { invokedIndex: index, time, ttl: askedMs * NANOSECONDS_PER_MS, end, promised };
}

/** The TTL that a request asks for, in milliseconds. */
export function askedTtlMs({
  value,
}: {
  readonly value: { readonly ttlMs: number; readonly [BY_THE_CLOCK]?: RequestByTheClock | undefined };
}): number {
  return value[BY_THE_CLOCK]?.askedMs ?? value.ttlMs;
}

/** How long the lease may be that a request asks for, in milliseconds. */
export function longestTtlMs({
  value,
}: {
  readonly value: { readonly ttlMs: number; readonly [BY_THE_CLOCK]?: RequestByTheClock | undefined };
}): number {
  return value[BY_THE_CLOCK]?.longestMs ?? value.ttlMs;
}
