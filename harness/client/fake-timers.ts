import { stat } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { UserError } from "../core/errors.ts";

const HINT =
  "use real ones while a lock is verified: vi.useRealTimers(), jest.useRealTimers(), mock.timers.reset() of node:test, or restore() of sinon's clock";

const FAKING_HINT =
  "take useFakeTimers (jest, vi, sinon) or mock.timers.enable (node:test) out of the driver and what it imports: time is simulated without them";

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

/**
 * Loads a driver. One that fakes timers fakes those of its whole process, as soon as it is loaded: whoever waits there then waits
 * for ever. Where a test faked them before, that is the test's affair.
 * @throws UserError if the timers are not those of Node any more, and what `load` throws
 */
export async function withoutFaking<T>(origin: string, load: () => Promise<T>): Promise<T> {
  const areReal = startsTimers();
  const loaded = await load();
  if (areReal && !startsTimers()) throw new UserError(`${origin} fakes the timers of its process`, FAKING_HINT);
  return loaded;
}

/** A client whose timers no longer come: nothing else of it can be waited for. */
export class FakedTimersError extends UserError {}

/**
 * Connects a driver, which may fake the timers of its process only now, at once or later on.
 * @param count how many timers of the client's process have been started and are not over; Node knows it of a real process
 * @throws FakedTimersError as soon as the timers are faked, and what `connect` throws
 */
export async function connectWithoutFaking<T>(connect: () => Promise<T>, count = activeTimers): Promise<T> {
  const { setTimeout: before } = globalThis;
  const refuseFaking = (): void => {
    // Whoever put another function there may well start timers by it, as tracers do.
    if (globalThis.setTimeout !== before && !startsTimers(count))
      throw new FakedTimersError("it fakes the timers of its process", FAKING_HINT);
  };
  const connecting = connect();
  // What fails meanwhile fails because of that.
  connecting.catch(() => {});
  refuseFaking();
  const connected = await connecting;
  refuseFaking();
  return connected;
}

/** Whether what `setTimeout` starts is counted: libraries of fake timers have nothing else in common. */
function startsTimers(count = activeTimers): boolean {
  const before = count();
  const timer = setTimeout(() => {}, 1000);
  const isKnown = count() > before;
  clearTimeout(timer);
  return isKnown;
}

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
