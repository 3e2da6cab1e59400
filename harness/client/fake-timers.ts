import { stat } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { UnusableClientError, UserError } from "../core/errors.ts";

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

/** What waits beside a lock that may fake timers. */
export type Timers = Pick<ClientTimers, "after" | "refuseFaking">;

/** The timers of a client's process, as they were before its lock could fake them. */
export class ClientTimers {
  readonly #setTimeout = globalThis.setTimeout;
  readonly #clearTimeout = globalThis.clearTimeout;
  readonly #count: () => number;
  /** What is known to start timers. */
  #known = globalThis.setTimeout;

  /** @param count how many timers of the client's process have been started and are not over; Node knows it of a real process */
  constructor(count = activeTimers) {
    this.#count = count;
  }

  /** Calls `action` when the time is over, also beside fake timers. Returns what calls it off. */
  after(ms: number, action: () => void): () => void {
    const clear = this.#clearTimeout;
    const start = this.#setTimeout;
    const timer = start(action, ms);
    return () => clear(timer);
  }

  /** @throws UnusableClientError if the timers of this process are fake: nothing else of the client can be waited for */
  refuseFaking(): void {
    const now = globalThis.setTimeout;
    if (now === this.#known) return;
    // Whoever put another function there may well start timers by it, as tracers do.
    if (!startsTimers(this.#count)) throw new UnusableClientError("it fakes the timers of its process", FAKING_HINT);
    this.#known = now;
  }
}

/**
 * Calls the driver, which may fake the timers of its process only now, at once or later on.
 * @throws UnusableClientError as soon as the timers are faked, and what `call` throws
 */
export async function withoutFakingTimers<T>(timers: Timers, call: () => Promise<T>): Promise<T> {
  timers.refuseFaking();
  // What is written in JavaScript may answer without a promise.
  const calling = Promise.resolve(call());
  // What fails meanwhile fails because of that.
  calling.catch(() => {});
  timers.refuseFaking();
  const answer = await calling;
  timers.refuseFaking();
  return answer;
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
