import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, LEASE_MS } from "../trial.ts";

/** A free lock is granted, on each key by itself. */
export const grants: ConformityCheck = {
  name: "grants",
  asks: "acquire of a free lock is granted, even while other keys are held",
  async run(trial) {
    for (const [client, key] of ["k1", "k2"].entries()) {
      const { reply } = await trial.acquire(client, { ttlMs: LEASE_MS, key });
      if (!isGranted(reply)) trial.mistake(`acquire of the free key ${key} answered ${replyWords(reply)}`);
    }
  },
};
