import { clientOf } from "../../history/clients.ts";
import type { HistoryEvent } from "../../history/history.ts";

/** No clock that anybody reads is coarser, in nanoseconds. Times that seem so are few. */
const COARSEST = 1_000_000_000;
/** How improbable it must be that a client's clock seems coarser than that of the others by chance. */
const ONE_IN = 1_000_000;
/** The clocks of so many clients are looked at one by one. */
const MOST_CLIENTS = 1000;
const NONE = Symbol("no clock is coarser than the others");

/** What is known of the times that one client's recorder wrote. */
interface Readings {
  readonly first: number;
  last: number;
  /** How many different times there are, up to 64. */
  distinct: number;
  step: number;
}

/**
 * How exact the times of a history are: all differ by multiples of this many nanoseconds. More of a history can only show
 * that its clock is finer. Where the recorders of some clients have a coarser clock than others, theirs counts.
 */
export class ClockPrecision {
  readonly #clients: number | undefined;
  readonly #byClient = new Map<number, Readings>();
  #all: Readings | undefined;
  /** The client whose clock counts, if one is coarser than the others. Undefined where it must be found anew. */
  #coarsest: Readings | typeof NONE | undefined;

  /** @param clients how many clients ran, where the history says so */
  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  push({ time, process }: Pick<HistoryEvent, "time" | "process">): void {
    const finest = this.#all?.step;
    this.#all = reading(this.#all, time);
    if (this.#all.step !== finest) this.#coarsest = undefined;
    if (typeof process !== "number" || this.#all.step === COARSEST) return;
    const client = clientOf(process, this.#clients);
    const known = this.#byClient.get(client);
    if (known === undefined && this.#byClient.size >= MOST_CLIENTS) return;
    const step = known?.step;
    const readings = reading(known, time);
    this.#byClient.set(client, readings);
    this.#note(readings, readings.step !== step);
  }

  /** All clients are looked at again only where one that counted does so no more: a history asks at every event. */
  #note(readings: Readings, stepChanged: boolean): void {
    if (this.#coarsest === undefined || this.#all === undefined) return;
    if (readings !== this.#coarsest) this.#coarsest = coarser(this.#coarsest, readings, lengthOf(this.#all));
    else if (stepChanged) this.#coarsest = undefined;
  }

  /** Whether several clients did something, and all at one time. */
  get neverAdvanced(): boolean {
    return this.#all?.step === 0 && this.#byClient.size > 1;
  }

  /** The length of a tick of the clock, in nanoseconds, and a time at which one began. */
  get tick(): { readonly length: number; readonly since: number } {
    const all = this.#all;
    if (all === undefined) return { length: 1, since: 0 };
    const finest = lengthOf(all);
    if (this.#coarsest === undefined) {
      this.#coarsest = NONE;
      for (const readings of this.#byClient.values()) this.#coarsest = coarser(this.#coarsest, readings, finest);
    }
    if (this.#coarsest === NONE) return { length: finest, since: all.first };
    return { length: shownLength(this.#coarsest, finest), since: this.#coarsest.first };
  }
}

/** The coarser of two clocks, or the one read first, if that `other` is coarser than `finest` cannot be chance. */
function coarser(known: Readings | typeof NONE, other: Readings, finest: number): Readings | typeof NONE {
  const length = shownLength(other, finest);
  const least = known === NONE ? finest : shownLength(known, finest);
  if (length < least) return known;
  if (length === least && (known === NONE || other.first >= known.first)) return known;
  return improbability(other, finest) < Math.log(ONE_IN) ? known : other;
}

/**
 * The length of a tick that these times show. Two times have every divisor of their difference in common, and the difference may be
 * a time-out of so many milliseconds: they show no more than its power of ten.
 */
function shownLength(readings: Readings, finest: number): number {
  return readings.distinct === 2 ? Math.min(finest * powerOfTen(readings, finest), COARSEST) : lengthOf(readings);
}

function lengthOf({ step }: Readings): number {
  return step === 0 ? COARSEST : Math.min(step, COARSEST);
}

/**
 * The logarithm of how improbable the common step of these times is for a clock whose ticks are `finest`: one difference is a
 * multiple of a given power of ten once in that many times, and all but one have a step in common once in as many as that is long.
 */
function improbability(readings: Readings, finest: number): number {
  const { distinct, step } = readings;
  if (step === 0) return 0;
  return Math.max((distinct - 1) * Math.log(powerOfTen(readings, finest)), (distinct - 2) * Math.log(step / finest));
}

/** The largest power of ten by which the common step of these times is longer than `finest`. */
function powerOfTen({ step }: Readings, finest: number): number {
  return 10 ** (/0*$/.exec(String(step / finest))?.[0].length ?? 0);
}

function reading(known: Readings | undefined, time: number): Readings {
  if (known === undefined) return { first: time, last: time, distinct: 1, step: 0 };
  if (time === known.last) return known;
  known.step = known.step === 1 ? 1 : commonDivisor(known.step, Math.abs(time - known.first));
  known.last = time;
  known.distinct = Math.min(known.distinct + 1, 64);
  return known;
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}
