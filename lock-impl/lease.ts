/**
 * A lease as its client sees it. Its clock starts before the first byte of the request is sent, so that whatever the
 * way to the server takes is on the safe side, and it is the monotonic one: the wall clock may be stepped.
 */
export interface Lease {
  /** What is sent to the server: whole milliseconds, at least one. */
  readonly ttlMs: number;
  /** For how long from now the holder may trust it: TTL - elapsed - drift. Negative when it is over. */
  remainingMs(): number;
}

export type Drift = (ttlMs: number) => number;

/** For a lock on one server whose clock is taken to run as fast as the client's. */
export const noDrift: Drift = () => 0;

/**
 * What Redlock allows for clocks that do not run equally fast: a hundredth of the lease, and 2 ms for the server's
 * expiry in whole milliseconds (redis.io, "Distributed locks with Redis").
 */
export const redlockDrift: Drift = (ttlMs) => ttlMs * 0.01 + 2;

/** Starts a lease's clock. @param now the monotonic clock, in milliseconds */
export function startLease(ttlMs: number, driftOf: Drift, now: () => number): Lease {
  const wholeMs = Math.max(1, Math.floor(ttlMs));
  const startedAtMs = now();
  const driftMs = driftOf(wholeMs);
  return { ttlMs: wholeMs, remainingMs: () => wholeMs - (now() - startedAtMs) - driftMs };
}
