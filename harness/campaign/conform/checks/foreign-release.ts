import type { ConformityCheck } from "../conformity.ts";
import { mistakeShownByAGrant } from "../shown-by-a-grant.ts";
import { isGranted, KEY, LEASE_MS, roundedMs, type Trial } from "../trial.ts";
import { INDETERMINATE } from "../answers-in-words.ts";

const TTL_MS = 1000;
/** A key that nobody holds when its former holder releases it. */
const FREE_KEY = "k2";
/** How long a client that goes on may take for a renewal that it had missed. */
const OVERDUE_RENEWAL_MS = 200;

/** A client that lost its lease frees nobody's lock, and does not say that it did, nor that it freed one when nobody holds it. */
export const foreignRelease: ConformityCheck = {
  name: "foreign-release",
  asks: "release of a lease that is gone leaves the next holder's lock alone, and does not say released: true",
  async run(trial) {
    const grant = await trial.granted(0, { ttlMs: TTL_MS });
    await trial.client(0).pause();
    const fromMs = trial.nowMs;
    await trial.sleep(3 * TTL_MS);
    const next = await trial.acquire(1, { ttlMs: LEASE_MS, waitMs: 2000 });
    if (!isGranted(next.reply))
      return trial.skip(`the lease of a client that is stopped lasts for ${roundedMs(trial.nowMs - fromMs)} and more`);
    await trial.client(0).resume();
    const { reply } = await trial.release(0, grant);
    if (reply.ok && reply.released === true)
      trial.mistake("it answered released: true, and another client held the lock");
    await mistakeShownByAGrant(trial, next, [2, 1], KEY, "it released the lock of another client");
    await releaseOfNothing(trial);
  },
};

/**
 * That another client was granted the key shows that the lease was over, by whatever clock the lock goes. The renewal of some
 * locks takes a key that has become free, so the servers must hold nothing when the former holder releases it.
 */
async function releaseOfNothing(trial: Trial): Promise<void> {
  const grant = await trial.granted(0, { ttlMs: TTL_MS, key: FREE_KEY });
  await trial.client(0).pause();
  await trial.sleep(3 * TTL_MS);
  const next = await trial.acquire(1, { ttlMs: LEASE_MS, waitMs: 2000, key: FREE_KEY });
  if (!isGranted(next.reply)) return;
  await trial.release(1, next.reply, FREE_KEY);
  await trial.sleep(LEASE_MS);
  await trial.client(0).resume();
  await trial.sleep(OVERDUE_RENEWAL_MS);
  if ((await trial.expiries()).some((leftMs) => leftMs > 0)) return;
  const { reply } = await trial.release(0, grant, FREE_KEY);
  if (!reply.ok || reply.released !== true) return;
  trial.mistake(
    `it answered released: true, and the lock had ended before: answer released: false, or ${INDETERMINATE} if the lock says the same of a lock that it freed`,
  );
}
