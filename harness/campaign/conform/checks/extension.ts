import type { ConformityCheck } from "../conformity.ts";
import {
  type Answer,
  type GrantedReply,
  type InForce,
  isGranted,
  LEASE_MS,
  replyWords,
  roundedMs,
  type Trial,
} from "../trial.ts";

/** An extension prolongs a lease that is there, and only such a one. */
export const extension: ConformityCheck = {
  name: "extension",
  asks: "extend prolongs a lease that is held, and fails for one that is gone",
  async run(trial) {
    // Of the same length as the extension: some locks have one length of lease only.
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    await trial.sleep(0.5 * LEASE_MS);
    const first = await trial.extend(0, grant, LEASE_MS);
    const { reply } = first;
    if (!reply.ok && reply.kind === "unsupported") return trial.skip("this driver cannot extend a lease");
    if (!reply.ok && reply.kind === "indeterminate") {
      trial.remark(`extend says nothing (${reply.reason}): its holders seem to outlive their leases`);
      return;
    }
    if (!isGranted(reply)) {
      trial.mistakeWithin([grant], `extend of a lease that is held answered ${replyWords(reply)}`);
      return;
    }
    const extended = await again(trial, reply, first);
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

/**
 * Two more extensions at once: the lease that they set ends no later than one of them says, however many there were.
 * @returns the last one that was granted
 */
async function again(trial: Trial, grant: GrantedReply, first: Answer & InForce): Promise<Answer & InForce> {
  const keptMs = async (): Promise<number> => Math.max(...(await trial.expiries()));
  const before = await keptMs();
  let last = first;
  for (let more = 0; more < 2; more += 1) {
    const next = await trial.extend(0, grant, LEASE_MS);
    if (!isGranted(next.reply)) return last;
    last = next;
  }
  const kept = await keptMs();
  if (kept - before > LEASE_MS && kept > last.untilMs - trial.nowMs + LEASE_MS)
    trial.mistake(
      `after three extensions of ${roundedMs(LEASE_MS)} the servers keep the lock for ${roundedMs(kept)}: extend makes the lease end ttlMs from now; if the library adds to what is left, give it what is missing, or state what there is (validForMs)`,
    );
  return last;
}
