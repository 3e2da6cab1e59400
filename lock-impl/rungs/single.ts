import { composeLock } from "../compose.ts";
import { ownedKey } from "../protocol.ts";

/** SET NX PX with a random owner value for each acquisition; compare-and-delete, compare-and-pexpire. */
export const driver = composeLock({ protocol: ownedKey });
