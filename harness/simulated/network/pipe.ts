import type { Random } from "../../core/random.ts";
import type { Host } from "../kernel/host.ts";
import { SimulationLimitError } from "../kernel/limits.ts";
import type { ArrivalTap, TappedMessage } from "./connection-tap.ts";
import type { Link } from "./link.ts";

/** Uniform latency of one direction, in microseconds, both bounds included. */
export interface Latency {
  readonly minUs: number;
  readonly maxUs: number;
}

/** A segment in one direction of a connection. `open` is the last packet of the handshake. */
export interface Segment {
  readonly kind: "open" | "bytes" | "fin" | "reset";
  readonly chunks: Uint8Array[];
  length: number;
  /** What a tap follows, and what ends in this segment. */
  messages?: TappedMessage[];
}

/** The receiving end. */
export interface PipeEnd {
  readonly host: Host;
  readonly closed: boolean;
  /** A segment has reached the machine, even if its process is paused. False: its process must not see it. */
  arrived(segment: Segment): boolean;
  /** Runs in the host: there may be something to read. */
  readable(): void;
}

/** Beyond this many bytes in one direction, a writer is told to wait: about what Linux buffers on loopback. */
export const WINDOW_BYTES = 1 << 20;
/** A service that writes this much to a peer that does not read must be a mistake. */
const MOST_BYTES_UNDER_WAY = 1 << 28;

/**
 * One direction of a connection: first in, first out, each segment after its latency. Bytes written in one step travel
 * as one segment. Bytes are never lost and never change their order; only the end of the connection cuts them off.
 */
export class Pipe {
  readonly link: Link;
  readonly #label: string;
  /** Kept, because nearly all segments carry bytes. */
  readonly #bytesLabel: string;
  readonly #latency: Latency;
  readonly #random: Random;
  readonly #end: PipeEnd;
  #flying: Segment[] = [];
  #lastArrivalUs = 0;
  #lastEvent = -1;
  #underWay = 0;
  #waiting: (() => void)[] = [];
  readonly #tap: ArrivalTap | undefined;
  /** Arrivals that came to nothing because the first segment waits; undefined while none waits. */
  #missed: number | undefined;

  /** @param label for the trace, `client-0>node-0#1` */
  constructor(link: Link, label: string, latency: Latency, random: Random, end: PipeEnd, tap?: ArrivalTap) {
    this.link = link;
    this.#label = label;
    this.#bytesLabel = `bytes ${label}`;
    this.#latency = latency;
    this.#random = random;
    this.#end = end;
    this.#tap = tap;
  }

  /** Bytes that were sent and not yet read by the other end. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Sends bytes; they must not be changed afterwards. */
  sendBytes(bytes: Uint8Array, messages?: readonly TappedMessage[]): void {
    this.#underWay += bytes.length;
    const { kernel } = this.link.from;
    if (this.#underWay > MOST_BYTES_UNDER_WAY) {
      kernel.abort(new SimulationLimitError(`${this.#label}: ${this.#underWay} bytes were written and not read`));
    }
    const last = this.#flying.at(-1);
    if (last?.kind === "bytes" && this.#lastEvent === kernel.events) {
      last.chunks.push(bytes);
      last.length += bytes.length;
      if (messages !== undefined) (last.messages ??= []).push(...messages);
    } else {
      const segment: Segment = { kind: "bytes", chunks: [bytes], length: bytes.length };
      if (messages !== undefined) segment.messages = [...messages];
      this.#send(segment);
    }
  }

  sendControl(kind: "open" | "fin" | "reset"): void {
    this.#send({ kind, chunks: [], length: 0 });
  }

  /** Drops what is under way. */
  clear(): void {
    this.#flying = [];
    if (this.#missed !== undefined) this.#missed = 0;
  }

  /** The other end has read `length` bytes. */
  wasRead(length: number): void {
    this.#underWay -= length;
    if (this.#waiting.length === 0 || this.#underWay >= WINDOW_BYTES) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) this.link.from.io(0, `room in ${this.#label}`, tell);
  }

  /** Calls `tell` in the sending host, once there is room for more. */
  whenRoom(tell: () => void): void {
    this.#waiting.push(tell);
  }

  #send(segment: Segment): void {
    const { link } = this;
    const { kernel } = link.from;
    this.#lastEvent = kernel.events;
    this.#flying.push(segment);
    const latencyUs = this.#random.integer(this.#latency.minUs, this.#latency.maxUs) + link.delayUs;
    this.#lastArrivalUs = Math.max(this.#lastArrivalUs, kernel.now + latencyUs);
    this.#schedule(this.#lastArrivalUs - kernel.now, segment.kind);
  }

  #schedule(delayUs: number, kind: string): void {
    const label = kind === "bytes" ? this.#bytesLabel : `${kind} ${this.#label}`;
    this.#end.host.io(delayUs, label, this.#readable, this.#arrive);
  }

  readonly #readable = (): void => {
    this.#end.readable();
  };

  readonly #arrive = (): boolean => {
    if (this.#flying.length === 0) return false;
    if (this.#missed !== undefined) {
      this.#missed += 1;
      return false;
    }
    if (this.link.holds("stream", () => this.#schedule(0, "held"))) return false;
    if (this.#firstWaits()) return false;
    const segment = this.#flying.shift();
    return segment !== undefined && this.#end.arrived(segment);
  };

  /** Whether the tap makes the first segment wait. Then nothing arrives before it has gone on. */
  #firstWaits(): boolean {
    const messages = this.#flying[0]?.messages;
    if (messages === undefined || messages.length === 0 || this.#tap === undefined || this.#end.closed) return false;
    const { delayUs } = this.link;
    // Taken out, because they arrive once.
    const waits = this.#tap(messages.splice(0), () => {
      // What delays the link by now delays the message too, as cuts and stalls hold it.
      const laterUs = Math.max(0, this.link.delayUs - delayUs);
      if (laterUs === 0) this.#arriveNow();
      else this.link.from.kernel.after(laterUs, `delayed ${this.#label}`, () => this.#arriveNow());
    });
    if (waits) this.#missed = 1;
    return waits;
  }

  #arriveNow(): void {
    const missed = this.#missed ?? 0;
    this.#missed = undefined;
    for (let count = 0; count < missed; count += 1) this.#schedule(0, "held");
  }
}
