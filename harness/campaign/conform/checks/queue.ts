import type { ConformityCheck } from "../conformity.ts";
import { isGranted, LEASE_MS, type Trial } from "../trial.ts";
import { inFigures } from "../../../core/words/in-figures.ts";

/** How long each step of the check is waited for, and how long a client waits for the lock. */
const STEP_MS = 500;
const WAIT_MS = 5000;

/** First come, first served, which a driver states in `supports`. */
export const queue: ConformityCheck = {
  name: "queue",
  asks: "a client that waits for a held lock is told that it stands in the queue, and one that asks later is granted the lock later",
  needs: "fair",
  async run(trial) {
    let told = 0;
    trial.client(1).onQueued(() => (told += 1));
    const held = await trial.granted(0, { ttlMs: LEASE_MS });
    const served: number[] = [];
    const first = useInTurn(trial, 1, served);
    await trial.sleep(STEP_MS);
    if (told === 0) trial.mistake(`a client waited for ${inFigures(STEP_MS)} ms, and onQueued was not called`);
    const second = useInTurn(trial, 2, served);
    await trial.sleep(STEP_MS);
    await trial.release(0, held);
    await Promise.all([first, second]);
    if (served.length === 2 && served[0] !== 1)
      trial.mistake(
        "client-2 asked when client-1 had been told that it stands in the queue, and was granted the lock first",
      );
  },
};

/** Waits for the lock, notes that it was granted, and gives it back. */
async function useInTurn(trial: Trial, client: number, served: number[]): Promise<void> {
  const { reply } = await trial.acquire(client, { ttlMs: LEASE_MS, waitMs: WAIT_MS });
  if (!isGranted(reply)) return;
  served.push(client);
  await trial.release(client, reply);
}
