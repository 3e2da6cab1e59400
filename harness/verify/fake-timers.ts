import { stat } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { UserError } from "../core/errors.ts";

const HINT =
  "use real ones while a lock is verified: vi.useRealTimers(), jest.useRealTimers(), mock.timers.reset() of node:test, or restore() of sinon's clock";

/** Fake timers of a test runner would be taken for the real ones, and a run in this process would never progress. */
export async function refuseFakeTimers(): Promise<void> {
  if (!startsTimers()) throw new UserError("fake timers are in force", HINT);
  await refuseFakeTicks();
}

/**
 * Node asks `process.nextTick` to hand on what another process says. What counts is whether Node's own ticks come: Jest replaces
 * the function in the `process` that it shows to tests, which Node does not use.
 */
export async function refuseFakeTicks(): Promise<void> {
  let hasTicked = false;
  new PassThrough().once("close", () => (hasTicked = true)).destroy();
  // A promise of Node's that needs no tick, and that settles later than a tick comes.
  await stat(".").catch(() => {});
  if (!hasTicked) throw new UserError("fake timers are in force", HINT);
}

/** Whether Node knows of what `setTimeout` starts: libraries of fake timers have nothing else in common. */
function startsTimers(): boolean {
  const before = activeTimers();
  const timer = setTimeout(() => {}, 1000);
  const isKnown = activeTimers() > before;
  clearTimeout(timer);
  return isKnown;
}

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
