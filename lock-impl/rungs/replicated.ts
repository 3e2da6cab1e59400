import { composeLock } from "../compose.ts";
import { fencedKey } from "../protocol.ts";
import { replicated } from "../replication.ts";

/** `fenced`, granted only when one of two replicas has it too: a majority of the three. */
export const driver = composeLock({ protocol: replicated(fencedKey, { replicas: 1, withinMs: 150 }) });
