import { commandsSent } from "../commands-sent.ts";
import type { ConformityCheck } from "../conformity.ts";
import { isGranted, roundedMs, type Trial } from "../trial.ts";

const TTL_MS = 1000;
/** A renewal that is late, and its repetitions, are far fewer. */
const MANY_PER_SECOND = 200;

/** A lease that goes on by itself is reported, or its holder counts as one that outlived it. */
export const renewal: ConformityCheck = {
  name: "renewal",
  asks: "a lock that renews its leases reports each renewal",
  async run(trial) {
    let told = 0;
    trial.client(0).onRenewed(() => (told += 1));
    const grant = await trial.granted(0, { ttlMs: TTL_MS });
    const hasLease = grant.validForMs !== undefined || (await trial.expiries()).some((leftMs) => leftMs > 0);
    await countCommands(trial);
    if (await isTaken(trial)) {
      if (told > 0) trial.mistake(`it reported ${told} renewal(s), and another client was granted the lock`);
      else trial.skip("this lock does not renew its leases by itself");
    } else if (!hasLease && told === 0) {
      trial.skip("this lock has no leases to renew");
    } else if (told === 0) {
      // A lease that goes on without its client is not renewed: it has no end.
      await trial.client(0).kill();
      const fromMs = trial.nowMs;
      await trial.sleep(3 * TTL_MS);
      if (!isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply))
        trial.skip(`a lease of this lock lasts for ${roundedMs(trial.nowMs - fromMs)} and more without its client`);
      trial.remark("it renews its leases and does not call onRenewed: its holders will seem to outlive their leases");
    }
  },
};

/** Whether another client is granted the lock. The first try may do no more than note that the holder shows no sign of life. */
async function isTaken(trial: Trial): Promise<boolean> {
  for (let tries = 0; tries < 2; tries += 1) {
    await trial.sleep(2 * TTL_MS);
    if (isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply)) return true;
  }
  return false;
}

/** Nobody but the holder is at work, so what the servers do in this second is to keep its lease. */
async function countCommands(trial: Trial): Promise<void> {
  const sent = await commandsSent(trial, 1000);
  if (sent === undefined || sent.commands < MANY_PER_SECOND) return;
  const effect = "a hunt stops runs at too many, and is never valid then";
  trial.remark(
    `while the lock is held, its holder sends ${sent.commands} commands per second to ${sent.node}: ${effect}`,
  );
}
