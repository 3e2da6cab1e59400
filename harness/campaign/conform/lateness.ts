import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 5;

/** By how much the timers of this process were late at most since it was made: so late may be what runs beside it. */
export class Lateness implements Disposable {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#delays.enable();
  }

  get mostMs(): number {
    return Math.max(0, this.#delays.max / 1e6 - RESOLUTION_MS);
  }

  [Symbol.dispose](): void {
    this.#delays.disable();
  }
}
