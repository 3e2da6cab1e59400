import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { redlockParts } from "../rungs/redlock.ts";

/** Counts the lease from when the replies are in, not from when the requests went out. */
export const driver = composeLock({
  ...redlockParts,
  patience: BOUNDLESS_PATIENCE,
  validity: ({ ttlMs }) => ttlMs - redlockParts.drift(ttlMs),
});
