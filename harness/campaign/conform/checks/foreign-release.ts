import type { ConformityCheck } from "../conformity.ts";
import { isGranted, LEASE_MS } from "../trial.ts";

const TTL_MS = 1000;

/** A client that lost its lease frees nobody's lock, and does not say that it did. */
export const foreignRelease: ConformityCheck = {
  name: "foreign-release",
  asks: "release of a lease that is gone leaves the next holder's lock alone, and does not say released: true",
  async run(trial) {
    const grant = await trial.granted(0, { ttlMs: TTL_MS });
    await trial.client(0).pause();
    await trial.sleep(3 * TTL_MS);
    const next = await trial.acquire(1, { ttlMs: LEASE_MS, waitMs: 2000 });
    if (!isGranted(next.reply)) return trial.skip("the lease of a client that is stopped does not end");
    await trial.client(0).resume();
    const { reply } = await trial.release(0, grant);
    if (reply.ok && reply.released === true)
      trial.mistake("it answered released: true, and another client held the lock");
    if (isGranted((await trial.acquire(2, { ttlMs: 1000 })).reply)) {
      trial.mistakeWithin([next], "it released the lock of another client");
    }
  },
};
