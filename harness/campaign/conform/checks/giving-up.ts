import { commandsSent } from "../commands-sent.ts";
import type { ConformityCheck } from "../conformity.ts";
import { isOvertaken } from "../overtaken.ts";
import { replyWords, isGranted, LEASE_MS, roundedMs, unknownOutcome, type Trial } from "../trial.ts";

const WAIT_MS = 500;
/**
 * A last round of requests and a pause between two tries. A driver whose library waits for ever gives up after a second, and then
 * takes back what it asked for.
 */
const BEYOND_MS = 1500;
/** When the lease of the first holder is over, should its release not have ended it. */
const OVER_MS = LEASE_MS + 100;

/** The other one may be held by whoever was granted it last. */
const OTHER_KEY = "k2";
const COUNTED_MS = 4000;
/** More than Sentinels and replicas send in one such time and not in another. */
const MORE_COMMANDS = 12;

const BETWEEN_TRIES_MS = 50;
/** In the last moments before a key expires, nobody can tell its expiry from a release. */
const BEFORE_EXPIRY_MS = 200;

/** A client that waits gives up when `waitMs` is over, and does not take the lock any more. */
export const givingUp: ConformityCheck = {
  name: "giving-up",
  asks: "acquire gives up soon after waitMs, as contended, and does not take the lock afterwards",
  async run(trial) {
    const fromMs = trial.nowMs;
    const held = await trial.granted(0, { ttlMs: LEASE_MS });
    const waiting = trial.acquire(1, { ttlMs: LEASE_MS, waitMs: WAIT_MS });
    const isLate = await isOvertaken(trial, waiting, WAIT_MS + BEYOND_MS);
    const { reply, tookMs } = await waiting;
    if (isLate) trial.mistakeOfLate(tookMs - WAIT_MS, `acquire took ${roundedMs(tookMs)}, with waitMs ${WAIT_MS}`);
    if (reply.ok) {
      if (!isLate) trial.mistakeWithin([held], "a second client was granted a lock that is held");
      return;
    }
    if (!isLate && reply.kind === "indeterminate") trial.remark(unknownOutcome(reply));
    else if (!isLate && reply.kind !== "contended")
      trial.mistake(`acquire gave up with ${replyWords(reply)}, not as contended`);
    await trial.release(0, held);
    await trial.sleep(fromMs + OVER_MS - trial.nowMs);
    await findLateGrant(trial);
    await findLeftTry(trial);
  },
};

/**
 * A library that waits for ever is granted the lock some time, and only its driver can give it back. It may be slow to do so: it
 * keeps the lock if nobody else is granted it before it expires.
 */
async function findLateGrant(trial: Trial): Promise<void> {
  const keptMs = Math.max(...(await trial.expiries()));
  const expiresAtMs = trial.nowMs + keptMs;
  if (keptMs <= BEFORE_EXPIRY_MS) return;
  do {
    const { reply } = await trial.acquire(2, { ttlMs: 1000 });
    const isGivenBack = isGranted(reply) && Number(reply.grantedAt) / 1e6 < expiresAtMs - BEFORE_EXPIRY_MS;
    if (isGivenBack) return;
    await trial.sleep(BETWEEN_TRIES_MS);
  } while (trial.nowMs < expiresAtMs - BEFORE_EXPIRY_MS);
  const kept = `the servers keep it for another ${roundedMs(keptMs)}, so that no other client gets it`;
  trial.mistake(`a client was granted the lock after it had given up, and ${kept}: release what is granted too late`);
}

/**
 * A try that goes on after acquire has answered, while the lock is held: it takes the lock when nobody wants it, and keeps others
 * from it. Nobody else sends anything then, since the holder is paused.
 */
async function findLeftTry(trial: Trial): Promise<void> {
  const idle = await commandsSent(trial, COUNTED_MS);
  const { reply: held } = await trial.acquire(0, { ttlMs: 60_000, key: OTHER_KEY });
  if (!isGranted(held)) return;
  await trial.client(0).pause();
  const { reply } = await trial.acquire(1, { ttlMs: LEASE_MS, key: OTHER_KEY });
  await trial.sleep(BEYOND_MS);
  const after = await commandsSent(trial, COUNTED_MS);
  await trial.client(0).resume();
  await trial.release(0, held, OTHER_KEY);
  if (reply.ok || idle === undefined || after === undefined) return;
  const more = after.commands - idle.commands;
  if (more < MORE_COMMANDS) return;
  const sent = `in the ${roundedMs(COUNTED_MS)} after an acquire had been answered ${replyWords(reply)}, ${more} more commands were sent to ${after.node} than before it`;
  trial.remark(`${sent}: a try that goes on takes the lock for nobody, so end it before the driver answers`);
}
