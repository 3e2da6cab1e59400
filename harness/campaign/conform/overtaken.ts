import type { Trial } from "./trial.ts";

/** Keys that nobody holds, one for each try: a driver that waits for a held lock would wait for a key that was asked for before. */
const OTHER_KEYS = ["k2", "k3"];

/**
 * Whether an acquire is still under way when its time is over, and another client, asked only then, is answered before it: on a
 * machine that is too busy all are late.
 *
 * @param waiting the acquire, of a client other than the third
 * @param forMs its time, in milliseconds from now
 */
export async function isOvertaken(trial: Trial, waiting: Promise<unknown>, forMs: number): Promise<boolean> {
  const answered = waiting.then(() => true);
  const isFirst = (other: Promise<unknown>): Promise<boolean> => Promise.race([answered, other.then(() => false)]);
  if (await isFirst(trial.sleep(forMs))) return false;
  for (const key of OTHER_KEYS) if (await isFirst(trial.acquire(2, { ttlMs: 1000, key }))) return false;
  return true;
}
