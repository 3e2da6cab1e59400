import { setTimeout as sleep } from "node:timers/promises";
import type { TrueClock } from "../core/system.ts";

/**
 * The true clock of a containerized run: the machine's monotonic clock, one for all processes, which nothing steps.
 * Client processes count from `origin`, which is fixed before they start; the run counts from `begin`.
 */
export class RunClock implements TrueClock {
  /** The reading, in nanoseconds, from which client processes count. */
  readonly origin = process.hrtime.bigint();
  #begin = this.origin;

  /** From this call on, `now` counts from here. */
  begin(): void {
    this.#begin = process.hrtime.bigint();
  }

  now(): number {
    return Number(process.hrtime.bigint() - this.#begin);
  }

  /** The run's time for a reading of the machine's clock, in nanoseconds. */
  ofReading(reading: bigint): number {
    return Math.max(0, Number(reading - this.#begin));
  }

  /** The run's time for a client's nanoseconds since `origin`. */
  fromOrigin(nanoseconds: number): number {
    return Math.max(0, nanoseconds - Number(this.#begin - this.origin));
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    try {
      await sleep(Math.max(0, ms), undefined, { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  }
}
