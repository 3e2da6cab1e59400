import { inFigures } from "../../core/words/in-figures.ts";
import { type HistoryEvent, type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { BESIDE_OTHERS, UNORDERED } from "../../history/unordered.ts";
import { withCertainLease } from "./certain-leases.ts";
import { ClockPrecision } from "./clock-precision.ts";
import { RecordedPlaces } from "./recorded-places.ts";
import { DrawnValues } from "./drawn-values.ts";
import { type Placed, withinTick } from "./within-tick.ts";

/** The precision of a clock is learned from so many events before the first is judged. */
const LEARNED_FROM = 2000;
/** Of more events within one tick nothing is judged: about 50 MB. */
const MOST_OF_A_TICK = 100_000;

/**
 * Stands between a recording by another program and the checkers. Times say no more than the precision of their clock allows,
 * which the times themselves show: what lies in one tick has no order, unless one process did it, and a lease counts as one
 * tick shorter. The events come out in an order, and with leases, that say no more than that.
 *
 * A program that writes each line when the event happens keeps the true order within a tick too, but another that merges the
 * recordings of several clients does not, and a history does not say which made it.
 */
export class CoarseClock {
  readonly places = new RecordedPlaces();
  readonly #precision: ClockPrecision;
  readonly #drawn = new DrawnValues();
  #learning: HistoryEvent[] | undefined = [];
  #tick: HistoryEvent[] = [];
  #tickNumber = 0;
  #index = 0;
  #coarsestUnordered = 0;
  #excess: string | undefined;

  constructor({ clients }: HistoryHeader) {
    this.#precision = new ClockPrecision(clients);
  }

  /** Why the rest of the history is not judged, if so. */
  get excess(): string | undefined {
    return this.#excess;
  }

  /** How long a tick of the clock is, in nanoseconds, as far as the times have shown. */
  get tick(): number {
    return this.#precision.tick.length;
  }

  /** What to tell the reader of a history in which the order of some events is not known. */
  get remarks(): readonly string[] {
    if (this.#coarsestUnordered === 0) return [];
    const length = inFigures(this.#coarsestUnordered / NANOSECONDS_PER_MS);
    return [
      `the times of this history are exact to ${length} ms: the order of events of different processes within one such step is not known, and each lease counts as ${length} ms shorter`,
    ];
  }

  /** Takes the next event. Returns what can be judged now. */
  push(event: HistoryEvent): readonly HistoryEvent[] {
    if (this.#excess !== undefined) return [];
    this.#precision.push(event);
    if (this.#learning === undefined) return this.#take(event);
    this.#learning.push(event);
    return this.#learning.length < LEARNED_FROM ? [] : this.#learned();
  }

  /**
   * To be called after the last event. Returns the rest. Of a recording that lost its end, other events of the last tick may be lost,
   * which came before its answers.
   */
  finish(isTorn = false): readonly HistoryEvent[] {
    if (this.#precision.neverAdvanced) {
      this.#excess ??= "all events have the same time: in which order the clients did what is not known";
      return [];
    }
    return [...this.#learned(), ...this.#closeTick(isTorn)];
  }

  #learned(): readonly HistoryEvent[] {
    const events = this.#learning ?? [];
    this.#learning = undefined;
    return events.flatMap((event) => this.#take(event));
  }

  #take(event: HistoryEvent): readonly HistoryEvent[] {
    const { length, since } = this.#precision.tick;
    const number = Math.floor((event.time - since) / length);
    const closed = this.#tick.length > 0 && number !== this.#tickNumber ? this.#closeTick() : [];
    this.#tickNumber = number;
    this.#tick.push(event);
    if (this.#tick.length > MOST_OF_A_TICK) {
      this.#excess = `more than ${inFigures(MOST_OF_A_TICK)} events lie within one step of the clock, from event ${this.#tick[0]?.index ?? 0} on, and their order is not known`;
      this.#tick = [];
    }
    return closed;
  }

  #closeTick(isTorn = false): readonly HistoryEvent[] {
    const events = this.#tick;
    this.#tick = [];
    const { length } = this.#precision.tick;
    const [first] = events;
    if (first === undefined) return [];
    const ordered = this.#drawn.inOneOrder(events);
    const placed = withinTick(ordered.events, ordered.first);
    if (placed.some(({ event, saysTooMuch }, at) => saysTooMuch || event !== events[at])) {
      this.#coarsestUnordered = Math.max(this.#coarsestUnordered, length);
    }
    const isBesideOthers = besideOthers(events);
    return placed.map((one) => {
      const saysTooMuch = one.saysTooMuch || (isTorn && length > 1 && one.event.type === "ok");
      return this.#stamped({ ...one, saysTooMuch }, first.time, length, isBesideOthers(one.event));
    });
  }

  #stamped({ event, saysTooMuch }: Placed, time: number, tick: number, isBesideOthers: boolean): HistoryEvent {
    const index = this.#index;
    this.#index += 1;
    this.places.moved(index, event.index);
    const certain = tick > 1 ? withCertainLease(event, tick) : event;
    if (saysTooMuch) {
      const value = { ...event.value, reason: UNORDERED };
      return { ...certain, type: "info", value, index, time } as HistoryEvent;
    }
    if (isBesideOthers && event.type !== "invoke")
      return Object.assign({ ...certain, index, time }, { [BESIDE_OTHERS]: true });
    return index === event.index && time === event.time ? certain : { ...certain, index, time };
  }
}

/** Tells of each event of a tick whether another process did something with the lock of the same key, or whether a fault came then. */
function besideOthers(events: readonly HistoryEvent[]): (event: HistoryEvent) => boolean {
  /** By key, the process that did something with its lock, or "" for several; faults are of no key. */
  const actors = new Map<string | undefined, HistoryEvent["process"] | "">();
  for (const event of events.filter(concernsLocks)) {
    const key = keyOf(event);
    const isFirst = !actors.has(key) || actors.get(key) === event.process;
    actors.set(key, isFirst ? event.process : "");
  }
  return (event) => actors.has(undefined) || (actors.get(keyOf(event)) ?? event.process) !== event.process;
}

function concernsLocks({ f }: HistoryEvent): boolean {
  return f !== "read" && f !== "write" && f !== "observe";
}

function keyOf(event: HistoryEvent): string | undefined {
  return "key" in event ? event.key : undefined;
}
