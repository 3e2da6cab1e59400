import { composeLock } from "../compose.ts";
import { fencedKey } from "../protocol.ts";

/** `single`, with a fencing token from a counter that is incremented in the script that takes the lock. */
export const driver = composeLock({ protocol: fencedKey });
