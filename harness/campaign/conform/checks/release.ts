import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, LEASE_MS } from "../trial.ts";

/** A release frees the lock and says so. */
export const release: ConformityCheck = {
  name: "release",
  asks: "release frees the lock at once and says that it did",
  async run(trial) {
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    const { reply } = await trial.release(0, grant);
    if (reply.ok && reply.released === false) trial.mistake("release of a lock that was held answered released: false");
    if (!reply.ok && reply.kind === "indeterminate") {
      trial.remark(`release says nothing (${reply.reason}): a release of somebody else's lock cannot be seen`);
    } else if (!reply.ok) trial.mistake(`release of a lock that was held answered ${replyWords(reply)}`);
    const next = await trial.acquire(1, { ttlMs: 1000 });
    if (!isGranted(next.reply)) trial.mistake(`after the release, acquire answered ${replyWords(next.reply)}`);
  },
};
