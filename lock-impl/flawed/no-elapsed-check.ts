import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { redlockParts } from "../rungs/redlock.ts";

/** Counts the votes, not the time that they took: a lease that is already over is handed out. */
export const driver = composeLock({ ...redlockParts, patience: BOUNDLESS_PATIENCE, worthHaving: () => true });
