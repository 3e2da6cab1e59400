import { composeLock } from "../compose.ts";
import { countedHash, generations } from "../reentry.ts";

/** A client that holds may enter again; the lock is free when it has left as often as it entered. */
export const driver = composeLock({ protocol: countedHash, ownHolds: generations });
