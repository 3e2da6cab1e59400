import type { ConformityCheck } from "../conformity.ts";
import { isGranted, LEASE_MS, type Trial } from "../trial.ts";
import { inFigures } from "../../../core/words/in-figures.ts";

/** How long each step of the check is waited for, and how long a client waits for the lock. */
const STEP_MS = 500;
const WAIT_MS = 5000;
/** How often it is asked whether a client was told. */
const SOON_MS = 10;
/**
 * How long after the first client was told that it stands in the queue the second one asks. Some locks confuse those that come
 * soon after one another, and only now and then.
 */
const GAPS_MS = [STEP_MS, 0, 0, 0];

/** First come, first served, which a driver states in `supports`. */
export const queue: ConformityCheck = {
  name: "queue",
  asks: "a client that waits for a held lock is told that it stands in the queue, and one that asks later is granted the lock later",
  needs: "fair",
  async run(trial) {
    const told = { times: 0 };
    trial.client(1).onQueued(() => (told.times += 1));
    for (const gapMs of GAPS_MS) {
      const held = await trial.granted(0, { ttlMs: LEASE_MS, waitMs: WAIT_MS });
      const served: number[] = [];
      told.times = 0;
      const first = useInTurn(trial, 1, served);
      const untilMs = trial.nowMs + STEP_MS;
      while (told.times === 0 && trial.nowMs < untilMs) await trial.sleep(SOON_MS);
      const isTold = told.times > 0;
      if (!isTold) trial.mistake(`a client waited for ${inFigures(STEP_MS)} ms, and onQueued was not called`);
      await trial.sleep(gapMs);
      const second = useInTurn(trial, 2, served);
      await trial.sleep(STEP_MS);
      await trial.release(0, held);
      await Promise.all([first, second]);
      if (!isTold) return;
      if (served.length === 2 && served[0] !== 1) {
        return trial.mistake(
          "client-2 asked when client-1 had been told that it stands in the queue, and was granted the lock first",
        );
      }
    }
  },
};

/** Waits for the lock, notes that it was granted, and gives it back. */
async function useInTurn(trial: Trial, client: number, served: number[]): Promise<void> {
  const { reply } = await trial.acquire(client, { ttlMs: LEASE_MS, waitMs: WAIT_MS });
  if (!isGranted(reply)) return;
  served.push(client);
  await trial.release(client, reply);
}
