import type { ConformityCheck } from "../conformity.ts";
import { inFigures } from "../../../core/words/in-figures.ts";

const TTL_MS = 3000;

/** A lock that watches its leases tells the holder when one is gone. */
export const loss: ConformityCheck = {
  name: "loss",
  asks: "a lock that finds out that a lease is gone tells its holder",
  async run(trial) {
    let lost = false;
    let renewed = false;
    trial.client(0).onLost(() => (lost = true));
    trial.client(0).onRenewed(() => (renewed = true));
    const grant = await trial.granted(0, { ttlMs: TTL_MS });
    await trial.sleep(TTL_MS / 2);
    // A lock may give a lease up a little before its end; nothing has ended this one.
    if (lost && (await trial.isHeld())) {
      trial.mistakeWithin(
        [grant],
        "the holder was told that its lease is gone (onLost) in the first half of it, and the servers hold the lock: it no longer counts as a holder then, and a hunt finds nothing",
      );
    }
    await trial.sleep(1.5 * TTL_MS);
    for (const node of await trial.masters()) await trial.command(node, "FLUSHALL");
    await trial.sleep(2 * TTL_MS);
    if (lost) return;
    if (!renewed) trial.skip("this lock reports neither renewals nor losses: nothing shows that it watches its leases");
    trial.remark(`${inFigures(2 * TTL_MS)} ms after the servers lost the lock, its holder had not been told (onLost)`);
  },
};
