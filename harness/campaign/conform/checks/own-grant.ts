import type { ConformityCheck } from "../conformity.ts";
import { mistakeShownByAGrant } from "../shown-by-a-grant.ts";
import { LEASE_MS } from "../trial.ts";

/** A driver that keeps its last grant in one field releases another key than it is asked for. */
export const ownGrant: ConformityCheck = {
  name: "own-grant",
  asks: "release gives back the grant that it is asked for, and leaves another key of its client alone",
  async run(trial) {
    const one = await trial.granted(0, { ttlMs: LEASE_MS, key: "k1" });
    const other = await trial.granted(0, { ttlMs: LEASE_MS, key: "k2" });
    await trial.release(0, one, "k1");
    await mistakeShownByAGrant(
      trial,
      other,
      [1, 2],
      "k2",
      "release of k1 freed k2, which the same client holds: keep what belongs to a grant in a map under its owner value, not in one field",
    );
  },
};
