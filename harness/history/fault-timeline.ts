import { traitsOf } from "../../faults/traits.ts";
import { strikesAtOnce, type FaultTraits } from "../core/fault-traits.ts";
import { NANOSECONDS_PER_MS, type FaultEvent, type HistoryEvent } from "./history.ts";

/**
 * A fault as the history records it, from its start to its healing. Times are nanoseconds since the start of the run.
 */
export interface RecordedFault {
  readonly kind: string;
  readonly traits: FaultTraits;
  readonly event: FaultEvent;
  /** Absent while the fault is in force, and for a fault that is over as soon as it happened. */
  healed: FaultEvent | undefined;
}

/** A fault is recorded when its effect was seen, up to this long after the effect. */
export const RECORDING_DELAY_NS = 1000 * NANOSECONDS_PER_MS;

/**
 * The faults of a run, each from its start to its healing. A healing event belongs to the last fault of the same kind and
 * targets that was not healed yet; a skipped fault never took effect, and so is never healed. A run has few faults, however
 * long its history.
 */
export class FaultTimeline {
  readonly #faults: RecordedFault[] = [];
  /** By kind and targets, what is not healed yet, in the order of the starts. */
  readonly #open = new Map<string, RecordedFault[]>();

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

  push(event: HistoryEvent): void {
    if (event.type !== "fault") return;
    const name = JSON.stringify([event.f, event.value.targets]);
    const open = this.#open.get(name);
    if (event.value.phase === "heal") {
      const healed = open?.pop();
      if (healed !== undefined) healed.healed = event;
      return;
    }
    const fault: RecordedFault = { kind: event.f, traits: traitsOf(event.f), event, healed: undefined };
    this.#faults.push(fault);
    if (event.value.outcome === "skipped") return;
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

  /** Whether connections may have broken at some time from `from` to `to`. */
  mayHaveBrokenConnections(from: number, to: number): boolean {
    return this.during(({ breaksConnections }) => breaksConnections === true, from, to).length > 0;
  }

  /** Kinds of the faults with such traits in force at some time from `from` to `to`. */
  kindsDuring(from: number, to: number, matches: (traits: FaultTraits) => boolean = () => true): readonly string[] {
    const alike = Map.groupBy(this.#faults, ({ kind }) => kind);
    return [...alike]
      .filter(([, faults]) => faults.some((fault) => matches(fault.traits) && inForce(fault, from, to).length > 0))
      .map(([kind]) => kind);
  }
}

/** The events of a fault that count at some time from `from` to `to`. */
function inForce({ traits, event, healed }: RecordedFault, from: number, to: number): readonly FaultEvent[] {
  if (event.value.outcome === "skipped") return [];
  if (!strikesAtOnce(traits)) return event.time <= to && (healed?.time ?? Infinity) >= from ? [event] : [];
  const back = traits.clock === "step" ? healed : undefined;
  return [event, back].filter((each) => each !== undefined).filter(({ time }) => time >= from && time <= to);
}
