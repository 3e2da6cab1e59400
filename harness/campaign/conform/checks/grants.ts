import type { ConformityCheck } from "../conformity.ts";
import { grantedInTime } from "../granted-in-time.ts";
import { LEASE_MS } from "../trial.ts";

/** A free lock is granted, on each key by itself. */
export const grants: ConformityCheck = {
  name: "grants",
  asks: "acquire of a free lock is granted, even while other keys are held",
  async run(trial) {
    for (const [client, key] of ["k1", "k2"].entries()) {
      await grantedInTime(
        trial,
        (turn) => trial.acquire(client, { ttlMs: LEASE_MS, key: turn === 0 ? key : `${key}-${turn}` }),
        `acquire of the free key ${key} answered`,
      );
    }
  },
};
