import { TIMEOUTS } from "./connection-options.ts";
import { redlockDrift } from "./lease.ts";
import type { LockParts } from "./lock-parts.ts";
import { ownedKey } from "./protocol.ts";
import { spin } from "./waiting.ts";

/**
 * Redlock as redis.io specifies it: the same owner value on all masters, a time-out for each that is small beside the
 * lease, a majority, validity = TTL - elapsed - drift, release on all masters after a failure, a random pause before
 * the next try.
 */
export const redlockParts = {
  protocol: ownedKey,
  drift: redlockDrift,
  timeouts: { ...TIMEOUTS, commandMs: 100 },
  waiting: spin({ pauseMs: 30, jitterMs: 100 }),
} satisfies Partial<LockParts>;
