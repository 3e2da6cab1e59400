import type { FaultEvent, HistoryEvent } from "../core/history.ts";

/** A fault as the history tells it, from its start to its healing. Times are nanoseconds since the start of the run. */
export interface RecordedFault {
  readonly kind: string;
  readonly event: FaultEvent;
  /** Absent while it is in force, and for a fault that is over as soon as it happened. */
  healed: FaultEvent | undefined;
}

/** Faults that are over as soon as they happened; their healing, if there is one, is an event of its own. */
const INSTANT = new Set([
  "kill-client",
  "kill-node",
  "restart-node",
  "power-loss",
  "failover",
  "promotion",
  "reset",
  "clock-jump",
  "eviction",
]);

/** Remembers the faults of a run. A run has few of them, however long its history. */
export class FaultLog {
  readonly #faults: RecordedFault[] = [];

  /** All faults, in order. */
  get faults(): readonly RecordedFault[] {
    return this.#faults;
  }

  push(event: HistoryEvent): void {
    if (event.type !== "fault") return;
    if (event.value.phase === "start") {
      this.#faults.push({ kind: event.f, event, healed: undefined });
      return;
    }
    const healed = this.#faults.findLast(
      (fault) =>
        fault.healed === undefined &&
        fault.kind === event.f &&
        sameTargets(fault.event.value.targets, event.value.targets),
    );
    if (healed !== undefined) healed.healed = event;
  }

  /**
   * Faults of these kinds that were in force at some time from `from` to `to` and were not skipped. Of a clock that
   * jumped, jumping back counts too; it is what the returned event then names.
   */
  during(kinds: readonly string[], from: number, to: number): readonly FaultEvent[] {
    return this.#faults.flatMap((fault) => {
      if (!kinds.includes(fault.kind) || fault.event.value.outcome === "skipped") return [];
      const within = (time: number): boolean => time >= from && time <= to;
      if (!isInstant(fault.kind)) {
        return fault.event.time <= to && (fault.healed?.time ?? Infinity) >= from ? [fault.event] : [];
      }
      const back = fault.kind === "clock-jump" ? fault.healed : undefined;
      return [fault.event, back].filter((event) => event !== undefined).filter((event) => within(event.time));
    });
  }

  /** Kinds of all faults in force at some time from `from` to `to`. */
  kindsDuring(from: number, to: number): readonly string[] {
    const kinds = [...new Set(this.#faults.map((fault) => fault.kind))];
    return kinds.filter((kind) => this.during([kind], from, to).length > 0);
  }
}

/** True for a fault that is over as soon as it happened. */
export function isInstant(kind: string): boolean {
  return INSTANT.has(kind);
}

function sameTargets(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((target, index) => target === right[index]);
}
