import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { isGranted, roundedMs } from "../trial.ts";

/** Shorter than the time-outs of most clients, so that they still take the answer. */
const LEASE_MS = 200;
const LATER_MS = 50;

/**
 * A grant with a validity of 0 or less says that the lock granted what it knew to be over, of which hunts accuse it. If the
 * library says nothing of the kind, its driver must not either.
 */
export const lateGrant: ConformityCheck = {
  name: "late-grant",
  asks: "a grant whose answer comes after its lease does not state a validity that is over",
  withoutLeases: "nothing",
  async run(trial) {
    // Scripts are loaded and connections are made before.
    await trial.release(0, await trial.granted(0, { ttlMs: 1000 }));
    const { network } = trial.system;
    for (const from of await trial.masters()) {
      await network.delay({ from, to: clientName(0) }, LEASE_MS + LATER_MS);
    }
    const { reply } = await trial.acquire(0, { ttlMs: LEASE_MS, key: "k2" });
    if (!isGranted(reply) || reply.validForMs === undefined || reply.validForMs > 0) return;
    trial.remark(
      `a grant whose answer came after its lease has a validForMs of ${roundedMs(reply.validForMs)}, so a hunt accuses the lock of an expired grant: ` +
        "right where the library states that validity, but if the driver computes it, state the TTL (validForMs) and from when it counts (validFromMs)",
    );
  },
};
