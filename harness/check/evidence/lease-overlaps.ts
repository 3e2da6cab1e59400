import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { Hold, HoldChange, HoldTracker } from "../../history/holds.ts";
import { conflictsOf, firstLeaseOf, rivalsOf, type Overlap } from "./overlaps.ts";

/**
 * How many holds are remembered whose leases began an overlap. An overlap keeps the hold before it, which may have begun
 * another one, and so on: a lock that always grants twice would keep its whole history.
 */
const REMEMBERED_HOLDS = 20_000;
/** Of the others, the first ones: they explain the violations that are listed. */
const FIRST_HOLDS = 1000;

/**
 * Notices when the leases of two holds of one key begin to overlap. A lease begins at the event that reports it, a
 * grant, an extension or a re-entry, and lasts as long as the lock promised there. So it overlaps exactly those leases
 * that are in force at that event. The lock has promised a lease even if its client has forgotten it.
 */
export class LeaseOverlaps {
  /** By the hold whose grant, extension or re-entry began them. */
  readonly #overlaps = new OldestFirst<Hold, readonly Overlap[]>();
  readonly #first = new Map<Hold, readonly Overlap[]>();

  /** The first overlap of the leases of these two, if they ever overlapped. */
  between(one: Hold, other: Hold): Overlap | undefined {
    return this.#begunBy(one, other) ?? this.#begunBy(other, one);
  }

  /** The overlaps that this hold began, as far as they are remembered. */
  #of(hold: Hold): readonly Overlap[] {
    return this.#overlaps.get(hold) ?? this.#first.get(hold) ?? [];
  }

  #begunBy(hold: Hold, rival: Hold): Overlap | undefined {
    return this.#of(hold).find(
      ({ first, second, others = [] }) => first === rival || second === rival || others.includes(rival),
    );
  }

  /** An overlap of leases of these holds alone, all of which are too many for a semaphore. */
  among(holds: readonly Hold[]): Overlap | undefined {
    return holds
      .flatMap((hold) => this.#of(hold))
      .find(({ first, second, others = [] }) => [first, second, ...others].every((hold) => holds.includes(hold)));
  }

  /** The overlaps that begin with this event. `holds` are as they are after it. */
  push(event: HistoryEvent, changes: readonly HoldChange[], holds: HoldTracker): readonly Overlap[] {
    return changes.flatMap((change) =>
      change.kind === "ended" ? [] : this.#begun(change.hold, change.kind, event, holds),
    );
  }

  #begun(hold: Hold, kind: string, event: HistoryEvent, holds: HoldTracker): readonly Overlap[] {
    if (hold.leaseEnd <= event.time || holds.fits(hold)) return [];
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
        ...firstLeaseOf(first),
        ...extended,
      });
    }
    if (found.length > 0) this.#remember(hold, [...this.#of(hold), ...found]);
    return found;
  }

  #remember(hold: Hold, overlaps: readonly Overlap[]): void {
    this.#overlaps.set(hold, overlaps);
    const { size, oldest } = this.#overlaps;
    if (size <= REMEMBERED_HOLDS || oldest === undefined) return;
    this.#overlaps.delete(oldest[0]);
    if (this.#first.size < FIRST_HOLDS) this.#first.set(...oldest);
  }
}
