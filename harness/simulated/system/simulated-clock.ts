import type { TrueClock } from "../../core/system.ts";

/** The true clock of a simulated run, which counts from `begin`. */
export class SimulatedClock implements TrueClock {
  readonly #clock: TrueClock;
  #origin = 0;

  constructor(clock: TrueClock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#origin = this.#clock.now();
  }

  now(): number {
    return this.#clock.now() - this.#origin;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}
