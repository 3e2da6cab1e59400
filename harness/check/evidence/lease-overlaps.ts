import type { HistoryEvent } from "../../history/history.ts";
import type { Hold, HoldChange, HoldTracker } from "../../history/holds.ts";
import { rivalsOf, type Overlap } from "./overlaps.ts";

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
    return this.#overlaps.get(hold)?.find(({ first, second }) => first === rival || second === rival);
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
    for (const rival of rivals) {
      if (rival.leaseEnd <= event.time || this.between(hold, rival) !== undefined) continue;
      const [first, second] = rival.grantedIndex < hold.grantedIndex ? [rival, hold] : [hold, rival];
      const extended = kind === "granted" ? {} : { extended: hold };
      found.push({
        first,
        second,
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
