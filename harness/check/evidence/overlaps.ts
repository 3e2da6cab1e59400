import type { Hold } from "../../history/holds.ts";
import type { HistoryStep } from "./history-step.ts";

/** Two holds of one key, or their leases, that overlap. Times are nanoseconds since the start of the run. */
export interface Overlap {
  /** The hold that was granted first. */
  readonly first: Hold;
  readonly second: Hold;
  readonly from: number;
  /** Index of the event with which the overlap began. */
  readonly index: number;
  /** When the lease of `first` ended, as known when the overlap began. */
  readonly firstLeaseEnd: number;
  /** The hold whose extension or re-entry began the overlap, where it was not a grant. */
  readonly extended?: Hold;
}

/** More pairs than this per new holder add nothing to the verdict, and a broken lock may have thousands. */
const PAIRS_PER_EVENT = 8;

/** More open overlaps than this of one hold are not followed: its verdict is clear. */
const OVERLAPS_PER_HOLD = 100;

/**
 * Follows each overlap until everything is known that its judgement needs: until the first of the two holds, or the
 * history, has ended. Then it calls `conclude`, once.
 */
export class OpenOverlaps {
  readonly #byFirst = new Map<Hold, Overlap[]>();
  readonly #conclude: (overlap: Overlap) => void;
  #open = 0;

  constructor(conclude: (overlap: Overlap) => void) {
    this.#conclude = conclude;
  }

  /** How many overlaps are not concluded. */
  get open(): number {
    return this.#open;
  }

  /** Begins an overlap, of a pair that does not overlap yet. */
  begin(overlap: Overlap): void {
    const overlaps = this.#byFirst.get(overlap.first);
    if (overlaps === undefined) this.#byFirst.set(overlap.first, [overlap]);
    else if (overlaps.length < OVERLAPS_PER_HOLD) overlaps.push(overlap);
    else return;
    this.#open += 1;
  }

  /** Concludes the overlaps whose first hold ended with this step. */
  push(step: HistoryStep): void {
    if (this.#byFirst.size === 0) return;
    for (const change of step.changes) if (change.kind === "ended") this.#end(change.hold);
  }

  /** Concludes the overlaps that are left. */
  finish(): void {
    for (const hold of this.#byFirst.keys()) this.#end(hold);
  }

  #end(hold: Hold): void {
    const overlaps = this.#byFirst.get(hold) ?? [];
    this.#byFirst.delete(hold);
    this.#open -= overlaps.length;
    overlaps.forEach(this.#conclude);
  }
}

/**
 * The holds of others that may conflict with a hold, the latest first. `latest`: the open holds of its key, in the same
 * order.
 */
export function rivalsOf(hold: Hold, latest: Iterable<Hold>): readonly Hold[] {
  const rivals: Hold[] = [];
  for (const other of latest) {
    if (other !== hold) rivals.push(other);
    if (rivals.length === PAIRS_PER_EVENT) break;
  }
  return rivals;
}
