import { INDETERMINATE_IF_SENT_AGAIN } from "../answers-in-words.ts";
import type { ConformityCheck } from "../conformity.ts";
import { type GrantedReply, isGranted, replyWords, type Trial } from "../trial.ts";
import { beforeTheReply, isStillHeld, mistakenIfHeld, remarkSilence, withoutReply } from "../unheard.ts";

const TTL_MS = 60_000;

/** A request whose reply is lost may have been applied: nobody may say that it was not. */
export const lostReply: ConformityCheck = {
  name: "lost-reply",
  asks: "acquire whose reply is lost answers info, unless the lock is certainly not held",
  async run(trial) {
    await prepare(trial);
    const { reply } = await withoutReply(trial, () => trial.acquire(0, { ttlMs: TTL_MS }));
    if (reply.ok) trial.mistake("acquire was granted although no reply could reach the client");
    else if (reply.kind !== "indeterminate") await mistakenIfHeld(trial, `acquire answered ${replyWords(reply)}`);
    else remarkSilence(trial, reply.reason, "acquire");
  },
};

/**
 * The same where the connection breaks: a library that sends its request again is refused, because the first one was granted, or
 * enters what it holds a second time, so that one release does not free it.
 */
export const brokenReply: ConformityCheck = {
  name: "broken-reply",
  asks: "acquire whose connection breaks before the reply is not refused because of itself",
  async run(trial) {
    await prepare(trial);
    const { reply } = await beforeTheReply(trial, () => trial.acquire(0, { ttlMs: TTL_MS }));
    if (isGranted(reply)) await releasedAtOnce(trial, reply);
    else if (!reply.ok && reply.kind !== "indeterminate") {
      const said = `acquire answered ${replyWords(reply)} when its connection had broken`;
      await mistakenIfHeld(trial, said, INDETERMINATE_IF_SENT_AGAIN);
    }
  },
};

/** One release frees what was granted after its connection had broken. */
async function releasedAtOnce(trial: Trial, grant: GrantedReply): Promise<void> {
  const { reply } = await trial.release(0, grant);
  if (!reply.ok || reply.released !== true || !(await isStillHeld(trial))) return;
  trial.mistake(
    "after acquire was granted although its connection had broken, release answered released: true, and the servers still hold its lock: a request that is sent again must not count as a second entry",
  );
}

/** Scripts are loaded and connections are made. */
async function prepare(trial: Trial): Promise<void> {
  await trial.release(0, await trial.granted(0, { ttlMs: 1000 }));
}
