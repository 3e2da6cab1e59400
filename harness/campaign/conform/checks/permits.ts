import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, LEASE_MS, unknownOutcome } from "../trial.ts";

/** A semaphore that its driver states in `supports`. */
export const permits: ConformityCheck = {
  name: "permits",
  asks: "of a limit of two, two clients are granted a permit, a third one when one of them gives its permit back",
  needs: "permits",
  async run(trial) {
    const asked = { ttlMs: LEASE_MS, limit: 2 };
    const first = await trial.granted(0, asked);
    const second = await trial.acquire(1, asked);
    if (!isGranted(second.reply)) {
      trial.mistakeInTime([second], `a permit was left, and the second client was told ${replyWords(second.reply)}`);
      return;
    }
    const third = await trial.acquire(2, asked);
    if (isGranted(third.reply))
      trial.mistakeWithin([first, second], "three clients were granted a permit, where two are allowed");
    else if (!third.reply.ok && third.reply.kind === "indeterminate") trial.remark(unknownOutcome(third.reply));
    else if (!third.reply.ok && third.reply.kind !== "contended") {
      trial.mistake(`without a permit left it answered ${replyWords(third.reply)}: answer contended`);
    }
    const given = await trial.release(0, first);
    if (isGranted((await trial.acquire(2, { ...asked, permits: 2 })).reply)) {
      trial.mistakeWithin(
        [second],
        'a client was granted two permits, where one was left: take as many as `permits` says; if the library takes one at a time, answer { type: "fail", kind: "error" } (a worker: "unsupported") to more',
      );
      return;
    }
    const next = await trial.acquire(2, asked);
    if (!isGranted(next.reply))
      trial.mistakeAfter(given, next, `after a release the next client was told ${replyWords(next.reply)}`);
  },
};
