import type { Host } from "../kernel/host.ts";
import type { Connection } from "./connection.ts";

/**
 * The path from one host to another, shared by all connections between them. Network faults act here; packets that they
 * hold back keep their order and continue when the link is healed.
 */
export class Link {
  readonly from: Host;
  readonly to: Host;
  /** Nothing passes: no bytes, no new connections, no end of a connection. */
  cut = false;
  /** Connections can be opened and take bytes, but nothing comes out of them. */
  stalled = false;
  /** Added to the latency of everything that is sent from now on, in microseconds. */
  delayUs = 0;
  /** Open connections that `from` opened. */
  readonly connections = new Set<Connection>();
  #held: (() => void)[] = [];

  constructor(from: Host, to: Host) {
    this.from = from;
    this.to = to;
  }

  /** How many packets are held back. */
  get held(): number {
    return this.#held.length;
  }

  /**
   * True when a packet that arrives now does not get through; then `retry` is called once after that may have changed.
   */
  holds(packet: "handshake" | "stream", retry: () => void): boolean {
    const passes = !this.cut && this.to.powered && !(this.stalled && packet === "stream");
    if (!passes) this.#held.push(retry);
    return !passes;
  }

  /** Undoes cut, stall and delay. Held packets arrive now, in order. */
  heal(): void {
    this.cut = false;
    this.stalled = false;
    this.delayUs = 0;
    this.release();
  }

  /** Tries what was held once more. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const retry of held) retry();
  }
}
