import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, LEASE_MS, roundedMs } from "../trial.ts";
import { inFigures } from "../../../core/words/in-figures.ts";

/** How long the holder keeps the lock, and how long the other waits for it. */
const HELD_MS = 500;
const WAIT_MS = 5000;

/** A client that waits gets the lock once it is free. */
export const waiting: ConformityCheck = {
  name: "waiting",
  asks: "acquire with waitMs waits for a holder that releases in time",
  async run(trial) {
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    const waiter = trial.acquire(1, { ttlMs: 1000, waitMs: WAIT_MS });
    await trial.sleep(HELD_MS);
    const released = await trial.release(0, grant);
    const waited = await waiter;
    const { reply, tookMs } = waited;
    if (isGranted(reply)) return;
    const after = `after ${roundedMs(tookMs)}, with waitMs ${WAIT_MS}, of a lock that was free after ${inFigures(HELD_MS)} ms`;
    trial.mistakeAfter(released, waited, `acquire answered ${replyWords(reply)} ${after}`);
  },
};
