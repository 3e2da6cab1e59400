import type { Evidence } from "../../core/system.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** What the step of a clock is seen by. */
interface SteppedClock {
  /** The server's time, in milliseconds since the epoch. */
  readonly nowMs: () => Promise<number>;
  readonly step: () => Promise<void>;
}

/** By how much a server's clock is ahead of the harness's, in milliseconds: it was read between question and answer. */
interface Offset {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Clocks are read in whole milliseconds, and one whose rate is wrong drifts from one reading to the next. */
const SLACK_MS = 50;

/**
 * For servers that report the time: asks before and after the step. Each answer takes time, on a busy machine much; the step
 * was seen if it explains what was read, and no step would not.
 * @param ms by how much the clock steps, forward if positive
 */
export async function seeStepByTime(name: string, ms: number, { nowMs, step }: SteppedClock): Promise<Evidence> {
  const before = await offset(nowMs);
  await step();
  const after = await offset(nowMs);
  const steppedMs = middle(after) - middle(before);
  const doubtMs = (width(after) + width(before)) / 2;
  const isExplained = Math.abs(steppedMs - ms) < doubtMs + SLACK_MS;
  const isStill = Math.abs(steppedMs) <= doubtMs || Math.abs(steppedMs) <= Math.abs(steppedMs - ms);
  const detail = `the clock of ${name} was ${inFigures(middle(before), 0)} ms off, then ${inFigures(middle(after), 0)} ms`;
  return { observed: isExplained && !isStill, detail };
}

async function offset(nowMs: () => Promise<number>): Promise<Offset> {
  const askedAt = Date.now();
  const now = await nowMs();
  return { leastMs: now - Date.now(), mostMs: now - askedAt };
}

function middle({ leastMs, mostMs }: Offset): number {
  return (leastMs + mostMs) / 2;
}

function width({ leastMs, mostMs }: Offset): number {
  return mostMs - leastMs;
}
