import type { HistoryEvent } from "../../history/history.ts";
import type { Hold, HoldChange, HoldTracker } from "../../history/holds.ts";
import { rivalsOf, type Overlap } from "./overlaps.ts";

/**
 * Notices when the leases of two holds of one key begin to overlap. A lease begins at the event that reports it, a
 * grant, an extension or a re-entry, and lasts as long as the lock promised there. So it overlaps exactly those leases
 * that are in force at that event. The lock has promised a lease even if its client has forgotten it.
 */
export class LeaseOverlaps {
  readonly #overlaps = new WeakMap<Hold, Overlap[]>();

  /** The first overlap of the leases of these two, if they ever overlapped. */
  between(one: Hold, other: Hold): Overlap | undefined {
    return this.#overlaps.get(one)?.find(({ first, second }) => first === other || second === other);
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
      const overlap = {
        first,
        second,
        from: event.time,
        index: event.index,
        firstLeaseEnd: first.leaseEnd,
        ...extended,
      };
      this.#remember(hold, overlap);
      this.#remember(rival, overlap);
      found.push(overlap);
    }
    return found;
  }

  #remember(hold: Hold, overlap: Overlap): void {
    const known = this.#overlaps.get(hold);
    if (known === undefined) this.#overlaps.set(hold, [overlap]);
    else known.push(overlap);
  }
}
