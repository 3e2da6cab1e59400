import type { ScheduledEvent } from "../kernel/event-queue.ts";
import type { Host } from "../kernel/host.ts";

/** A socket's inactivity timer: it fires when `touch` was not called for the period. */
export class SocketTimeout {
  readonly #host: Host;
  readonly #expired: () => void;
  #periodUs = 0;
  #touchedUs = 0;
  #event: ScheduledEvent | null = null;

  constructor(host: Host, expired: () => void) {
    this.#host = host;
    this.#expired = expired;
  }

  /** Restarts it with a period; 0 stops it. */
  set(ms: number): void {
    this.clear();
    this.#periodUs = ms * 1000;
    if (ms > 0) this.#arm(this.#periodUs);
    this.touch();
  }

  /** There was activity. The event stays in the queue, and checks again when it comes due. */
  touch(): void {
    if (this.#periodUs === 0) return;
    this.#touchedUs = this.#host.clock.monotonicUs();
    if (this.#event === null) this.#arm(this.#periodUs);
  }

  clear(): void {
    this.#periodUs = 0;
    this.#event?.cancel();
    this.#event = null;
  }

  #arm(delayUs: number): void {
    this.#event = this.#host.timer(delayUs, "socket timeout", () => {
      this.#event = null;
      const leftUs = this.#touchedUs + this.#periodUs - this.#host.clock.monotonicUs();
      if (leftUs > 0) this.#arm(leftUs);
      else this.#expired();
    });
  }
}
