import type { Host } from "./host.ts";

/** `io`: bytes, connects, calls. `timer`: a timer came due. `world`: the simulation's own doing, in no host. */
export type EventKind = "io" | "timer" | "world";

/** Something that will happen at an instant. Made by `Kernel` and `Host` only. */
export class ScheduledEvent {
  /** True time in integer microseconds. */
  timeUs: number;
  /** Order of scheduling; decides between events of one instant. */
  sequence = 0;
  readonly kind: EventKind;
  /** Whose event it is; null for the world's. */
  readonly host: Host | null;
  /** The host's life in which it was scheduled; a later life never sees it. */
  readonly life: number;
  readonly label: string;
  /** On the host's monotonic clock, for timers: kept so that a change of rate can move them. */
  readonly dueMonotonicUs: number;
  /**
   * What happens in the world, not in the host, when the time has come, once, even if the host is paused or dead.
   * False: it goes no further.
   */
  arrive: (() => boolean) | null;
  /** Null once it ran or was cancelled. */
  run: (() => void) | null;

  constructor(
    timeUs: number,
    kind: EventKind,
    host: Host | null,
    label: string,
    run: () => void,
    arrive: (() => boolean) | null = null,
    dueMonotonicUs = 0,
  ) {
    this.timeUs = timeUs;
    this.kind = kind;
    this.host = host;
    this.life = host === null ? 0 : host.life;
    this.label = label;
    this.run = run;
    this.arrive = arrive;
    this.dueMonotonicUs = dueMonotonicUs;
  }

  /** It will not happen. Harmless when it already has. */
  cancel(): void {
    this.run = null;
    this.arrive = null;
  }
}

/** Cancelled events are swept out when they are this many and more than half. */
const SWEEP_ABOVE = 1024;

/** A binary heap of events ordered by time, then by the order in which they were pushed. */
export class EventQueue {
  #events: ScheduledEvent[] = [];
  #nextSequence = 0;
  #sweepAt = SWEEP_ABOVE;

  /** How many events wait, cancelled ones that were not yet swept out included. */
  get size(): number {
    return this.#events.length;
  }

  push(event: ScheduledEvent): void {
    event.sequence = this.#nextSequence++;
    if (this.#events.length >= this.#sweepAt) this.#sweep();
    this.#events.push(event);
    this.#rise(this.#events.length - 1);
  }

  /** The next event, left where it is. */
  peek(): ScheduledEvent | undefined {
    while (this.#events.length > 0) {
      const first = this.#events[0];
      if (first?.run !== null) return first;
      this.pop();
    }
    return undefined;
  }

  /** Takes the next event out, cancelled or not. */
  pop(): ScheduledEvent | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (events.length > 0 && last !== undefined) {
      events[0] = last;
      this.#sink(0);
    }
    return first;
  }

  /** Changes the time of every event that `matches`, keeping the order of those that fall on one instant. */
  reschedule(matches: (event: ScheduledEvent) => boolean, timeUs: (event: ScheduledEvent) => number): void {
    for (const event of this.#events) {
      if (event.run !== null && matches(event)) event.timeUs = timeUs(event);
    }
    this.#rebuild(this.#events);
  }

  #sweep(): void {
    const live = this.#events.filter((event) => event.run !== null);
    if (live.length * 2 < this.#events.length) this.#rebuild(live);
    this.#sweepAt = Math.max(SWEEP_ABOVE, this.#events.length * 2);
  }

  #rebuild(events: ScheduledEvent[]): void {
    this.#events = events.toSorted((a, b) => a.timeUs - b.timeUs || a.sequence - b.sequence);
  }

  #rise(start: number): void {
    const events = this.#events;
    const event = events[start];
    if (event === undefined) return;
    let index = start;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = events[parentIndex];
      if (parent === undefined || isBefore(parent, event)) break;
      events[index] = parent;
      index = parentIndex;
    }
    events[index] = event;
  }

  #sink(start: number): void {
    const events = this.#events;
    const event = events[start];
    if (event === undefined) return;
    let index = start;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = events[childIndex];
      if (child === undefined) break;
      const right = events[childIndex + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        childIndex += 1;
      }
      if (isBefore(event, child)) break;
      events[index] = child;
      index = childIndex;
    }
    events[index] = event;
  }
}

function isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
  return a.timeUs < b.timeUs || (a.timeUs === b.timeUs && a.sequence < b.sequence);
}
