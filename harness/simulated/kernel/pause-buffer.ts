import type { ScheduledEvent } from "./event-queue.ts";
import type { Host } from "./host.ts";

/**
 * The events of a paused host. A real process that is stopped finds, when it resumes, both input and expired timers;
 * which of the two it serves first depends on where in the event loop it was stopped. Here the host's random stream
 * `pause` decides. Each kind keeps its own order.
 */
export class PauseBuffer {
  readonly #host: Host;
  #events: ScheduledEvent[] = [];
  #sendings: (() => void)[] = [];
  #count = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** A pause begins. A second one replaces the end of the first. */
  begin(us: number | undefined): void {
    const { kernel } = this.#host;
    this.#count += 1;
    const count = this.#count;
    if (us === undefined) return;
    kernel.after(us, `end of pause of ${this.#host.name}`, () => {
      if (count === this.#count) this.#host.resume();
    });
  }

  hold(event: ScheduledEvent): void {
    this.#events.push(event);
  }

  holdSending(send: () => void): void {
    this.#sendings.push(send);
  }

  /** The host resumes: bytes it had written are sent, then its events happen now. */
  end(): void {
    this.#count += 1;
    if (!this.#send() || this.#events.length === 0) return;
    const events = this.#events;
    this.#events = [];
    const first = this.#host.random("pause").integer(0, 1) === 0 ? "io" : "timer";
    for (const event of events) if (event.kind === first) this.#reinject(event);
    for (const event of events) if (event.kind !== first) this.#reinject(event);
  }

  /** As `end`, for a host that no pause had stopped: its events keep their order. */
  goOn(): void {
    if (!this.#send()) return;
    const events = this.#events;
    this.#events = [];
    for (const event of events) this.#reinject(event);
  }

  clear(): void {
    this.#count += 1;
    this.#events = [];
    this.#sendings = [];
  }

  /** Sends what was held. False if something that was sent has stopped the host again. */
  #send(): boolean {
    const sendings = this.#sendings;
    this.#sendings = [];
    for (const send of sendings) this.#host.sendWhenRunning(send);
    return this.#host.executes;
  }

  #reinject(event: ScheduledEvent): void {
    event.timeUs = this.#host.kernel.now;
    this.#host.kernel.schedule(event);
  }
}
