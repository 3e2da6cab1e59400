/**
 * A lease as its client sees it. Its clock starts before the first byte of the request is sent, so the time to reach
 * the server is on the safe side. It is the monotonic clock, because the wall clock may be stepped.
 */
export interface Lease {
  /** The TTL to send to the server: whole milliseconds, at least 1. */
  readonly ttlMs: number;
  /** How long from now the holder may trust it: TTL - elapsed - drift. Negative when it is over. */
  remainingMs(): number;
}

/** How many milliseconds of a lease of `ttlMs` are not trusted, because clocks run at different rates. */
export type Drift = (ttlMs: number) => number;

/** For a lock on one server whose clock is assumed to run as fast as the client's. */
export const noDrift: Drift = () => 0;

/**
 * Redlock's allowance for clock drift: 1 % of the lease, and 2 ms for the server's expiry in whole milliseconds
 * (redis.io, "Distributed locks with Redis").
 */
export const redlockDrift: Drift = (ttlMs) => ttlMs * 0.01 + 2;

/** Starts a lease's clock. @param now the monotonic clock, in milliseconds */
export function startLease(ttlMs: number, driftOf: Drift, now: () => number): Lease {
  const wholeMs = Math.max(1, Math.floor(ttlMs));
  const startedAtMs = now();
  const driftMs = driftOf(wholeMs);
  return { ttlMs: wholeMs, remainingMs: () => wholeMs - (now() - startedAtMs) - driftMs };
}
