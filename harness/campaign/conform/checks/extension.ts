import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, LEASE_MS } from "../trial.ts";

/** An extension prolongs a lease that is there, and only such a one. */
export const extension: ConformityCheck = {
  name: "extension",
  asks: "extend prolongs a lease that is held, and fails for one that is gone",
  async run(trial) {
    // Of the same length as the extension: some locks have one length of lease only.
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    await trial.sleep(0.5 * LEASE_MS);
    const extended = await trial.extend(0, grant, LEASE_MS);
    const { reply } = extended;
    if (!reply.ok && reply.kind === "unsupported") return trial.skip("this driver cannot extend a lease");
    if (!reply.ok && reply.kind === "indeterminate") {
      trial.remark(`extend says nothing (${reply.reason}): its holders seem to outlive their leases`);
      return;
    }
    if (!isGranted(reply)) {
      trial.mistakeWithin([grant], `extend of a lease that is held answered ${replyWords(reply)}`);
      return;
    }
    await trial.sleep(0.75 * LEASE_MS);
    if (isGranted((await trial.acquire(1, { ttlMs: 1000 })).reply)) {
      trial.mistakeWithin([extended], "another client was granted the lock within an extended lease");
      return;
    }
    await trial.client(0).pause();
    await trial.sleep(2 * LEASE_MS);
    const other = await trial.acquire(1, { ttlMs: LEASE_MS, waitMs: 1000 });
    await trial.client(0).resume();
    if (!isGranted(other.reply)) return;
    const late = await trial.extend(0, reply, LEASE_MS);
    if (isGranted(late.reply))
      trial.mistakeWithin([other], "extend answered ok for a lease that is over and held by another client");
  },
};
