import { outsideSimulation } from "../simulated/kernel/current-context.ts";
import type { Kernel } from "../simulated/kernel/kernel.ts";
import { messageOf, HarnessError } from "../core/errors.ts";

/** The kernel's time at which the real world joins it, in microseconds: what is slow to start has happened before. */
export const JOINED_AT_US = 10_000_000;

/** Node's timers are not finer. What is due earlier is awaited turn by turn. */
const FINEST_TIMER_US = 1000;

/**
 * Couples a kernel to the machine's monotonic clock: the kernel's time is real time. Everything that reaches the
 * simulation from outside does so by `enter`, and happens at the instant of that call: what was due earlier has happened
 * before it, however long this process could not run.
 */
export class RealTime implements Disposable {
  readonly kernel: Kernel;
  readonly #joined = process.hrtime.bigint();
  readonly #failure = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #inside = false;
  #over = false;

  /** Real time runs from now on; the kernel follows from the first call of `enter`. */
  constructor(kernel: Kernel) {
    this.kernel = kernel;
    this.#failure.promise.catch(() => {});
  }

  /** Rejects when the simulation itself failed; never resolves. */
  get failure(): Promise<never> {
    return this.#failure.promise;
  }

  /**
   * Does something in the simulation, now, and all that follows from it at once.
   * @throws what `act` throws
   */
  enter<T>(act: () => T): T {
    if (this.#inside) return this.kernel.asWorld(act);
    this.#inside = true;
    try {
      this.#advance(this.#nowUs());
      const value = this.kernel.asWorld(act);
      this.#advance(this.kernel.now);
      return value;
    } finally {
      this.#inside = false;
      this.#awaitNext();
    }
  }

  [Symbol.dispose](): void {
    this.#over = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }

  /** The machine's clock, in nanoseconds, when the simulation's clock shows this. */
  reading(us: number): bigint {
    return this.#joined + BigInt(Math.round((us - JOINED_AT_US) * 1000));
  }

  #nowUs(): number {
    const elapsedUs = Number((process.hrtime.bigint() - this.#joined) / 1000n);
    return Math.max(this.kernel.now, JOINED_AT_US + elapsedUs);
  }

  #advance(untilUs: number): void {
    if (this.#over) return;
    try {
      this.kernel.advance(untilUs);
    } catch (error) {
      this.#over = true;
      this.#failure.reject(new HarnessError(`the simulated servers failed: ${messageOf(error)}`, { cause: error }));
    }
  }

  #awaitNext(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    const { nextUs } = this.kernel;
    if (this.#over || nextUs === undefined) return;
    const leftUs = nextUs - this.#nowUs();
    if (leftUs >= FINEST_TIMER_US) this.#timer = setTimeout(this.#goOn, leftUs / 1000);
    else this.#immediate = setImmediate(this.#goOn);
  }

  readonly #goOn = (): void => {
    this.enter(() => {});
  };
}

/** Code of the real world, for calls from within the simulation. */
export function outside<Args extends readonly unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  return (...args) => outsideSimulation(() => act(...args));
}
