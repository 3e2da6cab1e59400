import { composeLock } from "../compose.ts";
import { notifyingKey } from "../notifying-key.ts";
import { releaseMessage, wakeUps } from "../wake-ups.ts";

/** The lock that `reference/locks.ts` is made of: fenced, announced when free, asked for again when a reply was lost. */
export const driver = composeLock({ protocol: notifyingKey, waiting: wakeUps(releaseMessage) });
