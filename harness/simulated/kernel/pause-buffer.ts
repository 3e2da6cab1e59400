import type { ScheduledEvent } from "./event-queue.ts";
import type { Host } from "./host.ts";

/**
 * What happens to a host while it is paused. A real process that is stopped finds, when it goes on, both input and
 * expired timers; which of the two it serves first depends on where in the event loop it was stopped. Here chance
 * decides, by the host's stream `pause`. Each kind keeps its own order.
 */
export class PauseBuffer {
  readonly #host: Host;
  #events: ScheduledEvent[] = [];
  #sendings: (() => void)[] = [];
  #count = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** A pause begins. A second one replaces the first one's end. */
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

  /** The host goes on: bytes it had written get out, then its events happen now. */
  end(): void {
    this.#count += 1;
    const sendings = this.#sendings;
    const events = this.#events;
    this.#sendings = [];
    this.#events = [];
    for (const send of sendings) send();
    if (events.length === 0) return;
    const first = this.#host.random("pause").integer(0, 1) === 0 ? "io" : "timer";
    for (const event of events) if (event.kind === first) this.#reinject(event);
    for (const event of events) if (event.kind !== first) this.#reinject(event);
  }

  clear(): void {
    this.#count += 1;
    this.#events = [];
    this.#sendings = [];
  }

  #reinject(event: ScheduledEvent): void {
    event.timeUs = this.#host.kernel.now;
    this.#host.kernel.schedule(event);
  }
}
