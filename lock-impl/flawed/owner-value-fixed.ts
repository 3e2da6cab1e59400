import { composeLock } from "../compose.ts";
import { ownersFrom } from "../own-holds.ts";
import { freshOwnerValue } from "../owner-value.ts";
import { ownedKey } from "../protocol.ts";

/** One owner value per client: a release that arrives late deletes the client's next hold. */
export const driver = composeLock({
  protocol: ownedKey,
  ownHolds: () => {
    const owner = freshOwnerValue();
    return ownersFrom(() => owner);
  },
});
