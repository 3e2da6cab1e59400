import type { HistoryEvent } from "../../history/history.ts";
import type { Hold, HoldChange, HoldTracker } from "../../history/holds.ts";
import { conflictsOf, rivalsOf, type Overlap } from "./overlaps.ts";

/**
 * Notices when the leases of two holds of one key begin to overlap. A lease begins at the event that reports it, a
 * grant, an extension or a re-entry, and lasts as long as the lock promised there. So it overlaps exactly those leases
 * that are in force at that event. The lock has promised a lease even if its client has forgotten it.
 */
export class LeaseOverlaps {
  /** By the hold whose grant, extension or re-entry began them. */
  readonly #overlaps = new WeakMap<Hold, readonly Overlap[]>();

  /** The first overlap of the leases of these two, if they ever overlapped. */
  between(one: Hold, other: Hold): Overlap | undefined {
    return this.#begunBy(one, other) ?? this.#begunBy(other, one);
  }

  #begunBy(hold: Hold, rival: Hold): Overlap | undefined {
    return this.#overlaps
      .get(hold)
      ?.find(({ first, second, others = [] }) => first === rival || second === rival || others.includes(rival));
  }

  /** An overlap of leases of these holds alone, all of which are too many for a semaphore. */
  among(holds: readonly Hold[]): Overlap | undefined {
    return holds
      .flatMap((hold) => this.#overlaps.get(hold) ?? [])
      .find(({ first, second, others = [] }) => [first, second, ...others].every((hold) => holds.includes(hold)));
  }

  /** The overlaps that begin with this event. `holds` are as they are after it. */
  push(event: HistoryEvent, changes: readonly HoldChange[], holds: HoldTracker): readonly Overlap[] {
    return changes.flatMap((change) =>
      change.kind === "ended" ? [] : this.#begun(change.hold, change.kind, event, holds),
    );
  }

  #begun(hold: Hold, kind: string, event: HistoryEvent, holds: HoldTracker): readonly Overlap[] {
    if (hold.leaseEnd <= event.time) return [];
    const found: Overlap[] = [];
    const rivals = [...rivalsOf(hold, holds.latest(hold.key)), ...rivalsOf(hold, holds.latestForgotten(hold.key))];
    const inForce = rivals.filter(({ leaseEnd }) => leaseEnd > event.time);
    for (const group of conflictsOf(hold, inForce, (earlier, later) => holds.sameClient(earlier, later))) {
      if (group.every((rival) => this.between(hold, rival) !== undefined)) continue;
      const [first, ...further] = [...group, hold].toSorted((one, other) => one.grantedIndex - other.grantedIndex);
      const second = further.pop();
      if (first === undefined || second === undefined) continue;
      const others = further.length === 0 ? {} : { others: further };
      const extended = kind === "granted" ? {} : { extended: hold };
      found.push({
        first,
        second,
        ...others,
        from: event.time,
        index: event.index,
        firstLeaseEnd: first.leaseEnd,
        ...extended,
      });
    }
    if (found.length > 0) this.#overlaps.set(hold, [...(this.#overlaps.get(hold) ?? []), ...found]);
    return found;
  }
}
