import type { Host } from "../kernel/host.ts";
import type { Network } from "../network/network.ts";

interface Stop {
  readonly from: Host;
  readonly to: ReadonlySet<string>;
  left: number;
}

/** Hosts that must stop at the instant at which they send something to certain other hosts. */
export class SendStops {
  readonly #network: Network;
  readonly #stops = new Set<Stop>();
  #listens = false;

  constructor(network: Network) {
    this.#network = network;
  }

  /**
   * Stops `from` the `count`-th time from now that it is about to send to one of `to`. `callOff` returns false when
   * that has already happened.
   */
  add(from: Host, to: readonly string[], count: number): { callOff(): boolean } {
    const stop = { from, to: new Set(to), left: count };
    this.#stops.add(stop);
    if (!this.#listens) {
      // Registered only now, because the listener is called for everything that is sent.
      this.#listens = true;
      this.#network.onSend((sending) => this.#notice(sending.from, sending.to.name));
    }
    return { callOff: () => this.#stops.delete(stop) };
  }

  #notice(from: Host, to: string): void {
    for (const stop of this.#stops) {
      // What a stopped host still writes in its step is not sent now, so it does not count.
      if (stop.from !== from || from.state !== "running" || !stop.to.has(to)) continue;
      stop.left -= 1;
      if (stop.left > 0) continue;
      this.#stops.delete(stop);
      from.pause();
    }
  }
}
