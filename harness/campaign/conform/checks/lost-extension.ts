import type { ConformityCheck } from "../conformity.ts";
import { isGranted, replyWords, type Trial } from "../trial.ts";
import { beforeTheReply, mistakenIfHeld, remarkSilence, withoutReply } from "../unheard.ts";
import { INDETERMINATE } from "../answers-in-words.ts";

/** Outlasts the time-outs of clients: an extension that fails late is not refused because the lease is over. */
const TTL_MS = 60_000;
/** Time for a library to load its scripts. */
const LOADING_MS = 500;

/** An extension whose reply is lost may have been applied, or not: nobody may say that the lease is over, or that it lasts. */
export const lostExtension: ConformityCheck = {
  name: "lost-extension",
  asks: "extend whose reply is lost answers info",
  async run(trial) {
    const { grant, isTold } = await extended(trial);
    const { reply } = await withoutReply(trial, () => trial.extend(0, grant, TTL_MS));
    if (reply.ok) trial.mistake(`extend answered ok although no reply could reach the client: answer ${INDETERMINATE}`);
    else if (reply.kind !== "indeterminate") await judgeFailure(trial, replyWords(reply), isTold);
    else remarkSilence(trial, reply.reason, "extend");
  },
};

/** The same where the connection breaks: a library that sends the extension again may hear its answer, and others may not. */
export const brokenExtension: ConformityCheck = {
  name: "broken-extension",
  asks: "extend whose connection breaks before the reply does not say that the lease is over",
  async run(trial) {
    const { grant, isTold } = await extended(trial);
    const { reply } = await beforeTheReply(trial, () => trial.extend(0, grant, TTL_MS));
    if (reply.ok || reply.kind === "indeterminate") return;
    await judgeFailure(trial, `${replyWords(reply)} when its connection had broken`, isTold);
  },
};

/** A lease that was extended once, so that scripts are loaded and connections are made, and whether its loss was told. */
async function extended(trial: Trial) {
  let isTold = false;
  trial.client(0).onLost(() => (isTold = true));
  const grant = await trial.granted(0, { ttlMs: TTL_MS });
  await trial.sleep(LOADING_MS);
  const { reply } = await trial.extend(0, grant, TTL_MS);
  if (!reply.ok && reply.kind === "unsupported") return trial.skip("this driver cannot extend a lease");
  if (!isGranted(reply)) return trial.skip(`extend of a lease that is held answered ${replyWords(reply)}`);
  return { grant: reply, isTold: () => isTold };
}

/** Right for a lease that its holder has given up, or that the lock has told it to have lost. */
async function judgeFailure(trial: Trial, words: string, isTold: () => boolean): Promise<void> {
  if (!isTold()) await mistakenIfHeld(trial, `extend answered ${words}`);
}
