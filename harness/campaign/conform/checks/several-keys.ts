import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, LEASE_MS, type Trial, unknownOutcome } from "../trial.ts";

const FIRST = "k1";
const SECOND = "k2";

/** Several keys in one acquisition, which a driver states in `supports`. */
export const severalKeys: ConformityCheck = {
  name: "several-keys",
  asks: "of two keys asked for at once, in either order, both are held or none, and a release gives back both",
  needs: "severalKeys",
  async run(trial) {
    await holdsBoth(trial);
    await failsWithout(trial, FIRST, SECOND);
    await failsWithout(trial, SECOND, FIRST);
  },
};

/** An acquisition of both keys excludes others from each, and its release frees each. */
async function holdsBoth(trial: Trial): Promise<void> {
  const both = await trial.granted(0, { key: FIRST, alsoKeys: [SECOND], ttlMs: LEASE_MS });
  for (const key of [FIRST, SECOND]) {
    const { reply } = await trial.acquire(1, { key, ttlMs: LEASE_MS });
    if (isGranted(reply))
      trial.mistakeWithin([both], `another client was granted ${key}, one of the keys that are held together`);
  }
  const { reply } = await trial.release(0, both, FIRST);
  if (reply.ok && reply.released === false)
    trial.mistake("it says of keys that it holds together that it does not hold them");
  for (const key of [FIRST, SECOND]) await mustBeFree(trial, key, "after a release of both");
}

/** An acquisition that finds one of its keys held leaves the other free. */
async function failsWithout(trial: Trial, held: string, other: string): Promise<void> {
  const holder = await trial.granted(0, { key: held, ttlMs: LEASE_MS });
  for (const [key, also] of [
    [other, held],
    [held, other],
  ] as const) {
    const { reply } = await trial.acquire(1, { key, alsoKeys: [also], ttlMs: LEASE_MS });
    if (isGranted(reply))
      trial.mistakeWithin([holder], `it was granted ${key} and ${also} at once, while another client held ${held}`);
    else if (!reply.ok && reply.kind === "indeterminate") trial.remark(unknownOutcome(reply));
    await mustBeFree(trial, other, `after an acquisition that failed because ${held} was held`);
  }
  await trial.release(0, holder, held);
}

async function mustBeFree(trial: Trial, key: string, when: string): Promise<void> {
  const answer = await trial.acquire(2, { key, ttlMs: LEASE_MS });
  const { reply } = answer;
  if (isGranted(reply)) await trial.release(2, reply, key);
  else
    trial.mistakeInTime(
      [answer],
      `${when}, ${key} is not free: a client that asked for it was told ${replyWords(reply)}`,
    );
}
