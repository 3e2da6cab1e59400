import { composeLock } from "../compose.ts";
import type { LockDriver } from "../driver.ts";
import { ownersFrom } from "../own-holds.ts";
import { freshOwnerValue } from "../owner-value.ts";
import { ownedKey } from "../protocol.ts";

/**
 * One owner value per client, over a pool of two connections: a release that was held up on its way is overtaken by the
 * client's next acquisition, and deletes that hold.
 */
export const driver: LockDriver = {
  async connect(environment) {
    const owner = freshOwnerValue();
    const pooled = composeLock({ protocol: ownedKey, ownHolds: () => ownersFrom(() => owner) });
    const [taking, freeing] = await Promise.all([pooled.connect(environment), pooled.connect(environment)]);
    return {
      acquire: (key, options) => taking.acquire(key, options),
      release: (grant) => freeing.release(grant),
      async [Symbol.asyncDispose]() {
        await Promise.all([taking[Symbol.asyncDispose](), freeing[Symbol.asyncDispose]()]);
      },
    };
  },
};
