import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { redlockParts } from "../rungs/redlock.ts";

/** Measures how long it took by the wall clock: one that is stepped back in between makes an old lease look new. */
export const driver = composeLock({ ...redlockParts, patience: BOUNDLESS_PATIENCE, now: () => Date.now() });
