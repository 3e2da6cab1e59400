import type { ConformityCheck } from "../conformity.ts";
import { isGranted } from "../trial.ts";

const TTL_MS = 1000;

/** A lease that goes on by itself is reported, or its holder counts as one that outlived it. */
export const renewal: ConformityCheck = {
  name: "renewal",
  asks: "a lock that renews its leases reports each renewal",
  async run(trial) {
    let told = 0;
    trial.client(0).onRenewed(() => (told += 1));
    await trial.granted(0, { ttlMs: TTL_MS });
    await trial.sleep(3 * TTL_MS);
    if (isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply)) {
      if (told > 0) trial.mistake(`it reported ${told} renewal(s), and another client was granted the lock`);
      else trial.skip("this lock does not renew its leases by itself");
    } else if (told === 0) {
      // A lease that goes on without its client is not renewed: it has no end.
      await trial.client(0).kill();
      await trial.sleep(3 * TTL_MS);
      if (!isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply))
        trial.skip("the leases of this lock do not end");
      trial.remark("it renews its leases and does not call onRenewed: its holders will seem to outlive their leases");
    }
  },
};
