import type { ConformityCheck } from "../conformity.ts";
import { isGranted, roundedMs } from "../trial.ts";

const TTL_MS = 1000;
const EVERY_MS = 50;
/** Replies, rounding to milliseconds. */
const EARLY_MS = 50;
/** Slow retries, leases that are rounded up to a second. */
const LATE_MS = 2000;
const GIVE_UP_MS = 60_000;

/**
 * The lock of a client that died is free when its lease is over: neither earlier nor much later. One without leases may be free
 * at once.
 */
export const expiry: ConformityCheck = {
  name: "expiry",
  asks: "the lock of a client that died is free after ttlMs",
  async run(trial) {
    const from = trial.nowMs;
    const grant = await trial.granted(0, { ttlMs: TTL_MS });
    // A lock whose servers count no lease may last as long as its client's connection.
    const endsWithClient = grant.validForMs === undefined && (await trial.expiries()).every((leftMs) => leftMs === 0);
    const leaseMs = Math.max(TTL_MS, grant.validForMs ?? 0);
    await trial.client(0).kill();
    let askedMs = trial.nowMs;
    let heldMs = 0;
    while (!isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply)) {
      heldMs = askedMs - from;
      if (trial.nowMs - from > GIVE_UP_MS) {
        trial.mistake(`${roundedMs(GIVE_UP_MS)} after a client with ttlMs ${TTL_MS} died, its lock is still held`);
        return;
      }
      await trial.sleep(EVERY_MS);
      askedMs = trial.nowMs;
    }
    const afterMs = trial.nowMs - from;
    if (afterMs < TTL_MS - EARLY_MS) {
      if (endsWithClient)
        trial.remark(`this lock has no leases: it was free ${roundedMs(afterMs)} after it was asked for`);
      else trial.mistake(`with ttlMs ${TTL_MS}, another client was granted after ${roundedMs(afterMs)}`);
    }
    // What was held when the last refused try began: the answers of a busy machine may be later.
    if (heldMs <= TTL_MS + LATE_MS) return;
    const free = `with ttlMs ${TTL_MS}, the lock was free only after ${roundedMs(afterMs)}`;
    if (heldMs > leaseMs + LATE_MS) trial.mistake(free);
    else trial.remark(`${free}: its leases are its own, of ${roundedMs(leaseMs)}`);
  },
};
