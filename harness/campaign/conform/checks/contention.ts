import type { ConformityCheck } from "../conformity.ts";
import { isOvertaken } from "../overtaken.ts";
import { replyWords, LEASE_MS, roundedMs, unknownOutcome } from "../trial.ts";
import { CONTENDED } from "../answers-in-words.ts";

/** A try with `waitMs: 0` should not take much longer than its requests. */
const PROMPT_MS = 2000;

/**
 * A client that asks for a held lock without waiting is refused, with the reason. A lock that gives one answer for "held
 * by another" and "no answer" leaves its driver nothing but `info`.
 */
export const contention: ConformityCheck = {
  name: "contention",
  asks: "acquire of a held lock with waitMs 0 fails as contended, at once",
  async run(trial) {
    const held = await trial.granted(0, { ttlMs: LEASE_MS });
    const asked = trial.acquire(1, { ttlMs: 1000 });
    const isLate = await isOvertaken(trial, asked, PROMPT_MS);
    const { reply, tookMs } = await asked;
    if (!reply.ok && reply.kind === "indeterminate") trial.remark(unknownOutcome(reply));
    else if (isLate) trial.mistakeOfLate(tookMs, `acquire took ${roundedMs(tookMs)}, although waitMs was 0`);
    else if (reply.ok) trial.mistakeWithin([held], "a second client was granted a lock that is held");
    else if (reply.kind !== "contended")
      trial.mistake(`a held lock answered ${replyWords(reply)}: answer ${CONTENDED}`);
  },
};
