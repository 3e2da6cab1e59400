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
    await trial.granted(0, { ttlMs: TTL_MS });
    await trial.sleep(2 * TTL_MS);
    for (const node of await trial.masters()) await trial.command(node, "FLUSHALL");
    await trial.sleep(2 * TTL_MS);
    if (lost) return;
    if (!renewed) trial.skip("this lock reports neither renewals nor losses: nothing shows that it watches its leases");
    trial.remark(`${inFigures(2 * TTL_MS)} ms after the servers lost the lock, its holder had not been told (onLost)`);
  },
};
