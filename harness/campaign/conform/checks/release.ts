import type { ConformityCheck } from "../conformity.ts";
import { type InForce, isGranted, LEASE_MS, replyWords, roundedMs, type Trial } from "../trial.ts";

/** A lock may be kept for a minimum time, whether or not it was released before. It is looked for as often. */
const EVERY_MS = 100;

/** A release frees the lock and says so. */
export const release: ConformityCheck = {
  name: "release",
  asks: "release frees the lock at once and says that it did",
  async run(trial) {
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    const released = await trial.release(0, grant);
    const { reply } = released;
    if (reply.ok && reply.released === false)
      trial.mistakeWithin([grant], "release of a lock that was held answered released: false");
    if (!reply.ok && reply.kind === "indeterminate") {
      trial.remark(`release says nothing (${reply.reason}): a release of somebody else's lock cannot be seen`);
    } else if (!reply.ok)
      trial.mistakeInTime([released], `release of a lock that was held answered ${replyWords(reply)}`);
    const releasedMs = trial.nowMs;
    const isHeld = await trial.isHeld();
    const next = await trial.acquire(1, { ttlMs: 1000 });
    if (isGranted(next.reply)) return;
    if (await becomesFree(trial, grant)) {
      // It is looked for only now and then.
      const keptMs = roundedMs(trial.nowMs - releasedMs);
      const why = "the lock is kept for a minimum time, or freed in the background";
      trial.remark(`the release did not free the lock at once, but within ${keptMs}: ${why}`);
    } else if (!reply.ok && reply.kind === "indeterminate") {
      trial.remark("the release freed the lock not before its lease was over");
    } else if (!isHeld && !next.reply.ok && next.reply.kind === "indeterminate") {
      trial.skip(`client-1 was not granted a free lock: ${replyWords(next.reply)}`);
    } else trial.mistakeInTime([next], `after the release, acquire answered ${replyWords(next.reply)}`);
  },
};

/** Whether another client is granted the lock while the lease would certainly be in force without the release. */
async function becomesFree(trial: Trial, { untilMs }: InForce): Promise<boolean> {
  while (trial.nowMs + EVERY_MS < untilMs) {
    await trial.sleep(EVERY_MS);
    const { reply } = await trial.acquire(1, { ttlMs: 1000 });
    if (isGranted(reply)) return trial.nowMs < untilMs;
  }
  return false;
}
