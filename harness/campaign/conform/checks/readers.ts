import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, LEASE_MS, unknownOutcome } from "../trial.ts";

/** A read-write lock that its driver states in `supports`. */
export const readers: ConformityCheck = {
  name: "readers",
  asks: "readers are granted the lock beside each other, and a writer alone",
  needs: "modes",
  async run(trial) {
    const reading = { ttlMs: LEASE_MS, mode: "shared" } as const;
    const writing = { ttlMs: LEASE_MS, mode: "exclusive" } as const;
    const first = await trial.granted(0, reading);
    const second = await trial.acquire(1, reading);
    if (!isGranted(second.reply)) {
      trial.mistakeInTime([second], `beside a reader, a second reader was told ${replyWords(second.reply)}`);
      return;
    }
    await trial.release(0, first);
    const beside = await trial.acquire(2, writing);
    if (isGranted(beside.reply)) trial.mistakeWithin([second], "a writer was granted the lock beside a reader");
    else if (!beside.reply.ok && beside.reply.kind === "indeterminate") trial.remark(unknownOutcome(beside.reply));
    else if (!beside.reply.ok && beside.reply.kind !== "contended") {
      trial.mistake(`beside a reader it answered ${replyWords(beside.reply)} to a writer: answer contended`);
    }
    const released = await trial.release(1, second.reply);
    const alone = await trial.acquire(2, writing);
    if (!isGranted(alone.reply))
      trial.mistakeAfter(released, alone, `after the last reader, a writer was told ${replyWords(alone.reply)}`);
    else if (isGranted((await trial.acquire(0, reading)).reply)) {
      trial.mistakeWithin([alone], "a reader was granted the lock beside a writer");
    }
  },
};
