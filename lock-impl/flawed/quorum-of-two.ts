import { composeLock } from "../compose.ts";
import { redlockParts } from "../rungs/redlock.ts";

/** Two of five are enough: two clients can have two each. */
export const driver = composeLock({ ...redlockParts, quorum: () => 2 });
