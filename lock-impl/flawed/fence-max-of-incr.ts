import { composeLock } from "../compose.ts";
import { fenceOf } from "../lock-parts.ts";
import { fencedKey } from "../protocol.ts";
import { redlockParts } from "../rungs/redlock.ts";

/**
 * Redlock with a counter on each server and the largest as fencing token: a server that missed increments lets a later
 * majority have a smaller largest.
 */
export const driver = composeLock({
  ...redlockParts,
  protocol: fencedKey,
  fence: (answers) => Math.max(...answers.map((answer) => fenceOf(answer) ?? 0)),
});
