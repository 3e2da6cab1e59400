import { UserError } from "../core/errors.ts";

const HINT =
  "use real ones while a lock is verified: vi.useRealTimers(), jest.useRealTimers(), mock.timers.reset() of node:test, or restore() of sinon's clock";

/** Fake timers of a test runner would be taken for the real ones, and a run in this process would never progress. */
export function refuseFakeTimers(): void {
  refuseFakeTicks();
  if (!startsTimers()) throw new UserError("fake timers are in force", HINT);
}

/** Node itself asks `process.nextTick` to hand on what another process says. */
export function refuseFakeTicks(): void {
  const tick = Reflect.get(process, "nextTick") as object;
  if (Object.hasOwn(tick, "clock")) throw new UserError("fake timers are in force", HINT);
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
