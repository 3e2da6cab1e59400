import type { Host } from "../kernel/host.ts";

const SECOND_US = 1_000_000;
/**
 * Messages from one host to another in a second. A lock that asks every millisecond sends half as many; a program that
 * sends the next request whenever one is answered exceeds it, and would keep a simulation busy for minutes.
 */
const MOST_IN_A_SECOND = 2_000;

/** A host that sends without pause. */
export interface Flood {
  readonly from: Host;
  readonly to: Host;
  readonly messages: number;
  /** In which they were sent, in microseconds. */
  readonly withinUs: number;
}

interface Count {
  sinceUs: number;
  messages: number;
}

/** Counts what hosts send to each other, second by second. */
export class SendRate {
  readonly #counts = new Map<Host, Map<Host, Count>>();
  readonly #onFlood: (flood: Flood) => void;

  constructor(onFlood: (flood: Flood) => void) {
    this.#onFlood = onFlood;
  }

  /** To be called for each message. `nowUs` is true time. */
  sent(from: Host, to: Host, nowUs: number): void {
    const count = this.#countOf(from, to, nowUs);
    if (nowUs - count.sinceUs >= SECOND_US) {
      count.sinceUs = nowUs;
      count.messages = 0;
    }
    count.messages += 1;
    if (count.messages !== MOST_IN_A_SECOND) return;
    this.#onFlood({ from, to, messages: count.messages, withinUs: nowUs - count.sinceUs });
  }

  #countOf(from: Host, to: Host, nowUs: number): Count {
    let ofHost = this.#counts.get(from);
    if (ofHost === undefined) this.#counts.set(from, (ofHost = new Map()));
    let count = ofHost.get(to);
    if (count === undefined) ofHost.set(to, (count = { sinceUs: nowUs, messages: 0 }));
    return count;
  }
}
