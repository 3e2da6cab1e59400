import type { Host } from "./host.ts";

/** `io`: bytes, connects, calls. `timer`: a timer came due. `world`: an action of the simulation itself, in no host. */
export type EventKind = "io" | "timer" | "world";

/** Something that will happen at an instant. Only `Kernel` and `Host` make one. */
export class ScheduledEvent {
  /** True time in integer microseconds. */
  timeUs: number;
  /** Order of scheduling, which orders events of one instant. */
  sequence = 0;
  readonly kind: EventKind;
  /** The host of the event; null for the world's events. */
  readonly host: Host | null;
  /** The host's life in which it was scheduled; a later life ignores it. */
  readonly life: number;
  readonly label: string;
  /** On the host's monotonic clock, for timers: kept so that a change of rate can move them. */
  readonly dueMonotonicUs: number;
  /**
   * The part that happens in the world, not in the host, when the time has come: once, even if the host is paused or
   * dead. False: the event ends there.
   */
  arrive: (() => boolean) | null;
  /** Null once it ran or was cancelled. */
  run: (() => void) | null;
  /** Whether a process of Node would not end before it, for timers of programs. */
  keepsAlive = false;

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

  /** Cancels it. Harmless when it already happened. */
  cancel(): void {
    this.run = null;
    this.arrive = null;
  }
}

/** Cancelled events are removed when there are this many and they are more than half. */
const SWEEP_ABOVE = 1024;

/** A binary heap of events ordered by time, then by the order in which they were pushed. */
export class EventQueue {
  #events: ScheduledEvent[] = [];
  #nextSequence = 0;
  #sweepAt = SWEEP_ABOVE;

  /** How many events wait, including cancelled ones that were not removed yet. */
  get size(): number {
    return this.#events.length;
  }

  push(event: ScheduledEvent): void {
    event.sequence = this.#nextSequence++;
    if (this.#events.length >= this.#sweepAt) this.#sweep();
    this.#events.push(event);
    this.#rise(this.#events.length - 1);
  }

  /** The next event, which stays in the queue. */
  peek(): ScheduledEvent | undefined {
    while (this.#events.length > 0) {
      const first = this.#events[0];
      if (first?.run !== null) return first;
      this.pop();
    }
    return undefined;
  }

  /** Removes and returns the next event, cancelled or not. */
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

  /** Changes the time of every event that `matches`, keeping the order of those at one instant. */
  reschedule(matches: (event: ScheduledEvent) => boolean, timeUs: (event: ScheduledEvent) => number): void {
    for (const event of this.#events) {
      if (event.run !== null && matches(event)) event.timeUs = timeUs(event);
    }
    this.#rebuild(this.#events);
  }

  /** How many of the events that wait `matches`. */
  count(matches: (event: ScheduledEvent) => boolean): number {
    return this.#events.filter((event) => event.run !== null && matches(event)).length;
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
