import { traitsOf } from "../../faults/traits.ts";
import { mayKeepReplies, strikesAtOnce, type FaultTraits } from "../core/fault-traits.ts";
import { NANOSECONDS_PER_MS, type FaultEvent, type HistoryEvent } from "./history.ts";
import { OldestFirst } from "./oldest-first.ts";

/**
 * A fault as the history records it, from its start to its healing. Times are nanoseconds since the start of the run.
 */
export interface RecordedFault {
  readonly kind: string;
  readonly traits: FaultTraits;
  readonly event: FaultEvent;
  /** Absent while the fault is in force, and for a fault that happens at one instant. */
  healed: FaultEvent | undefined;
}

/** The harness records a fault when it observes the effect, at most this long after the effect. */
export const RECORDING_DELAY_NS = 1000 * NANOSECONDS_PER_MS;

/** Whether nobody observed that the fault took effect. */
export function isUnseen({ value }: FaultEvent): boolean {
  return value.outcome === "indeterminate";
}

/**
 * The faults of a run, each from its start to its healing. A healing event belongs to the last unhealed fault of the same
 * kind and targets. A skipped fault never took effect, so it is never healed. A run has few faults, however long its history.
 */
export class FaultTimeline {
  readonly #faults: RecordedFault[] = [];
  /** The faults that are not healed yet, by kind and targets, in the order of their starts. */
  readonly #open = new Map<string, RecordedFault[]>();
  readonly #byTraits = new Map<FaultTraits, AlikeFaults>();

  /** The timeline of a whole history. */
  static of(events: Iterable<HistoryEvent>): FaultTimeline {
    const timeline = new FaultTimeline();
    for (const event of events) timeline.push(event);
    return timeline;
  }

  /** All faults, in the order of their starts. */
  get faults(): readonly RecordedFault[] {
    return this.#faults;
  }

  #alike({ traits }: RecordedFault): AlikeFaults {
    const known = this.#byTraits.get(traits);
    if (known !== undefined) return known;
    const fresh = new AlikeFaults();
    this.#byTraits.set(traits, fresh);
    return fresh;
  }

  push(event: HistoryEvent): void {
    if (event.type !== "fault") return;
    const name = JSON.stringify([event.f, event.value.targets]);
    const open = this.#open.get(name);
    if (event.value.phase === "heal") {
      const healed = open?.pop();
      if (healed === undefined) return;
      healed.healed = event;
      this.#alike(healed).heal(healed);
      return;
    }
    const fault: RecordedFault = { kind: event.f, traits: traitsOf(event.f), event, healed: undefined };
    this.#faults.push(fault);
    if (event.value.outcome === "skipped") return;
    this.#alike(fault).start(fault);
    if (open === undefined) this.#open.set(name, [fault]);
    else open.push(fault);
  }

  /**
   * Faults with such traits that were in force at some time from `from` to `to` and were not skipped. When a clock
   * jumped, its jump back counts too, and is then the returned event.
   */
  during(matches: (traits: FaultTraits) => boolean, from: number, to: number): readonly FaultEvent[] {
    return this.#faults.flatMap((fault) => (matches(fault.traits) ? inForce(fault, from, to) : []));
  }

  /**
   * Whether `during` returns anything. Checkers ask this for each of very many operations, so it does not look at every
   * fault.
   */
  anyDuring(matches: (traits: FaultTraits) => boolean, from: number, to: number): boolean {
    for (const [traits, alike] of this.#byTraits) if (matches(traits) && alike.anyDuring(from, to)) return true;
    return false;
  }

  /** Whether connections may have broken at some time from `from` to `to`. */
  mayHaveBrokenConnections(from: number, to: number): boolean {
    return this.anyDuring(({ breaksConnections }) => breaksConnections === true, from, to);
  }

  /** Whether a client may have been kept from the server's reply at some time from `from` to `to`. */
  mayHaveKeptReplies(from: number, to: number): boolean {
    return this.anyDuring(mayKeepReplies, from, to);
  }

  /** Kinds of the faults with such traits in force at some time from `from` to `to`. */
  kindsDuring(from: number, to: number, matches: (traits: FaultTraits) => boolean = () => true): readonly string[] {
    const alike = Map.groupBy(this.#faults, ({ kind }) => kind);
    return [...alike]
      .filter(([, faults]) => faults.some((fault) => matches(fault.traits) && inForce(fault, from, to).length > 0))
      .map(([kind]) => kind);
  }
}

/** Faults with the same traits that were not skipped. */
class AlikeFaults {
  /** In the order of their starts. */
  readonly #all: RecordedFault[] = [];
  /** Those that are not healed. */
  readonly #unhealed = new OldestFirst<RecordedFault, true>();
  /** The others, in the order in which they were healed. */
  readonly #healed: RecordedFault[] = [];

  start(fault: RecordedFault): void {
    this.#all.push(fault);
    this.#unhealed.set(fault, true);
  }

  heal(fault: RecordedFault): void {
    this.#unhealed.delete(fault);
    this.#healed.push(fault);
  }

  /** Whether one of them was in force at some time from `from` to `to`. */
  anyDuring(from: number, to: number): boolean {
    const [oldest] = this.#unhealed.oldest ?? [];
    if (oldest !== undefined && inForce(oldest, from, to).length > 0) return true;
    const [first] = this.#all;
    if (first === undefined) return false;
    if (strikesAtOnce(first.traits) && anyFrom(this.#all, ({ event }) => event.time, from, to)) return true;
    return anyFrom(this.#healed, ({ healed }) => healed?.time ?? Infinity, from, to);
  }
}

/** Whether a fault of this list, which is sorted by `timeOf`, counts between `from` and `to`. None before `from` counts. */
function anyFrom(
  faults: readonly RecordedFault[],
  timeOf: (fault: RecordedFault) => number,
  from: number,
  to: number,
): boolean {
  let [low, high] = [0, faults.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(faults[middle]!) < from) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < faults.length; at += 1) if (inForce(faults[at]!, from, to).length > 0) return true;
  return false;
}

/** The events of a fault that count at some time from `from` to `to`. */
function inForce({ traits, event, healed }: RecordedFault, from: number, to: number): readonly FaultEvent[] {
  if (event.value.outcome === "skipped") return [];
  if (!strikesAtOnce(traits)) return event.time <= to && (healed?.time ?? Infinity) >= from ? [event] : [];
  const back = traits.clock === "step" ? healed : undefined;
  return [event, back].filter((each) => each !== undefined).filter(({ time }) => time >= from && time <= to);
}
