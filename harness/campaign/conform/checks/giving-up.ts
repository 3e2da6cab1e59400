import type { ConformityCheck } from "../conformity.ts";
import { replyWords, LEASE_MS, roundedMs, unknownOutcome } from "../trial.ts";

const WAIT_MS = 500;
/** A last round of requests and a pause between two tries. */
const BEYOND_MS = 1000;

/** A client that waits gives up when `waitMs` is over. */
export const givingUp: ConformityCheck = {
  name: "giving-up",
  asks: "acquire gives up soon after waitMs, as contended",
  async run(trial) {
    await trial.granted(0, { ttlMs: LEASE_MS });
    const { reply, tookMs } = await trial.acquire(1, { ttlMs: 1000, waitMs: WAIT_MS });
    if (reply.ok) trial.mistake("a second client was granted a lock that is held");
    else if (tookMs > WAIT_MS + BEYOND_MS) trial.mistake(`acquire took ${roundedMs(tookMs)}, with waitMs ${WAIT_MS}`);
    else if (reply.kind === "indeterminate") trial.remark(unknownOutcome(reply));
    else if (reply.kind !== "contended") trial.mistake(`acquire gave up with ${replyWords(reply)}, not as contended`);
  },
};
