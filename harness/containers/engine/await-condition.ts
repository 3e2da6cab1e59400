import { deadlineWords } from "../../core/words/duration.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { HarnessError } from "../../core/errors.ts";

/**
 * Polls every few milliseconds until `look` returns something other than undefined, and returns that; undefined when it
 * did not within `deadlineMs`. For conditions that nobody announces; the pause is short because it delays a start or a
 * fault.
 */
export async function lookFor<T>(deadlineMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const result = await look();
    if (result !== undefined || performance.now() > deadline) return result;
    await sleep(4);
  }
}

/**
 * Like `lookFor`, for a condition that must come.
 * @throws HarnessError after `deadlineMs`, naming `what` and what was seen last
 */
export async function awaitCondition<T>(
  what: string,
  deadlineMs: number,
  look: (saw: (state: string) => void) => Promise<T | undefined>,
): Promise<T> {
  let last = "nothing";
  const result = await lookFor(deadlineMs, () => look((state) => (last = state)));
  if (result !== undefined) return result;
  throw new HarnessError(`${what}: not within ${deadlineWords(deadlineMs)}; last seen: ${last}`);
}
