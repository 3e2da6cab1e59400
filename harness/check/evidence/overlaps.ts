import { exceeds, excludeEachOther } from "../../core/sharing.ts";
import type { Hold, HoldTracker } from "../../history/holds.ts";
import type { LeaseCut } from "../../history/leases.ts";
import type { AskedLease } from "../../history/holds/lease.ts";
import { type PossibleShares, shareAt } from "./possible-shares.ts";
import type { HistoryStep } from "./history-step.ts";

/**
 * Two holds of one key, or their leases, that overlap and must not; of a semaphore, as many as are too many. Times are
 * nanoseconds since the start of the run.
 */
export interface Overlap {
  /** The hold that was granted first; of several, one whose lease was over, if there is one. */
  readonly first: Hold;
  readonly second: Hold;
  /** The further holders of a semaphore without which there would not be too many. */
  readonly others?: readonly Hold[];
  /** Their leases when the overlap began, in the same order, where a judgement needs them. */
  readonly otherLeases?: readonly FirstLease[];
  readonly from: number;
  /** How they excluded others when it began. */
  readonly shares: PossibleShares;
  /** Index of the event with which the overlap began. */
  readonly index: number;
  /** When the lease of `first` ended, as known when the overlap began. */
  readonly firstLeaseEnd: number;
  /** Why that end is earlier than the first holder was told last, if it is. */
  readonly firstLeaseCut: LeaseCut | undefined;
  /** That lease as it was asked for, where that is known. */
  readonly firstLeaseAsked: AskedLease | undefined;
  /** The same of `second`. */
  readonly secondLeaseCut?: LeaseCut | undefined;
  /** The hold whose extension or re-entry began the overlap, where it was not a grant. */
  readonly extended?: Hold;
  /** The hold of a reader that became a writer, if this began the overlap. */
  readonly upgraded?: Hold;
  /** Of leases of a semaphore that are too many: the first holds that were granted later, beside all of these. */
  readonly joined?: Hold[];
}

/** So many of the holds that were granted beside too many are remembered. */
export const MOST_JOINED = 16;

/** A hold is granted beside all holds of this overlap. */
export function join({ first, second, others = [], joined }: Overlap, hold: Hold): void {
  if (joined === undefined || joined.length >= MOST_JOINED) return;
  if (![first, second, ...others, ...joined].includes(hold)) joined.push(hold);
}

export type FirstLease = Pick<Overlap, "firstLeaseEnd" | "firstLeaseCut" | "firstLeaseAsked">;

/** The first holder's lease as it is now, as an overlap records it. */
export function firstLeaseOf({ leaseEnd, leaseCut, leaseAsked }: Hold): FirstLease {
  return { firstLeaseEnd: leaseEnd, firstLeaseCut: leaseCut, firstLeaseAsked: leaseAsked };
}

/** More pairs than this per new holder add nothing to the verdict, and a broken lock may have thousands. */
const PAIRS_PER_EVENT = 8;

/** How many other holds are counted to see whether they are too many. */
const SCANNED_HOLDS = 1024;

/** More open overlaps than this of one hold are not followed: its verdict is clear. */
const OVERLAPS_PER_HOLD = 100;

/** As many further holds all open overlaps may have together: those of a semaphore may have hundreds each. No more are followed. */
const MOST_FURTHER_HOLDS = 500_000;

/** An overlap, and how many of its earlier holds have ended: the first ones. */
interface Followed {
  readonly overlap: Overlap;
  readonly ended: number;
}

/**
 * Follows each overlap until everything is known that its judgement needs: until the first of the two holds and all
 * further ones, or the history, have ended. Then it calls `conclude`, once.
 */
export class OpenOverlaps {
  readonly #byFirst = new Map<Hold, Followed[]>();
  readonly #conclude: (overlap: Overlap) => void;
  readonly #mostFurtherHolds: number;
  #open = 0;
  #furtherHolds = 0;

  /** @param mostFurtherHolds see `MOST_FURTHER_HOLDS` */
  constructor(conclude: (overlap: Overlap) => void, mostFurtherHolds: number = MOST_FURTHER_HOLDS) {
    this.#conclude = conclude;
    this.#mostFurtherHolds = mostFurtherHolds;
  }

  /** How many overlaps are not concluded. */
  get open(): number {
    return this.#open;
  }

  /** Whether the end of this hold concludes an overlap. */
  awaits(hold: Hold): boolean {
    return this.#byFirst.has(hold);
  }

  /** Begins an overlap, of a pair that does not overlap yet. It is concluded at once if nothing is left to wait for. */
  begin(overlap: Overlap): void {
    this.#goOn({ overlap, ended: 0 });
  }

  /** Concludes the overlaps whose first hold ended with this step. */
  push(step: HistoryStep): void {
    if (this.#byFirst.size === 0) return;
    for (const change of step.changes) if (change.kind === "ended") this.#end(change.hold);
  }

  /** Concludes the overlaps that are left. */
  finish(): void {
    for (const hold of this.#byFirst.keys()) for (const { overlap } of this.#close(hold)) this.#conclude(overlap);
  }

  #goOn({ overlap, ended }: Followed): void {
    const { first, others = [] } = overlap;
    let next = ended;
    for (; next <= others.length; next += 1) {
      const hold = next === 0 ? first : others[next - 1];
      if (hold?.end !== undefined) continue;
      if (hold !== undefined) this.#follow({ overlap, ended: next }, hold);
      return;
    }
    this.#conclude(overlap);
  }

  /** Follows an overlap until this hold ends. */
  #follow(followed: Followed, hold: Hold): void {
    const further = furtherHolds(followed);
    if (this.#furtherHolds + further > this.#mostFurtherHolds) return;
    const overlaps = this.#byFirst.get(hold);
    if (overlaps === undefined) this.#byFirst.set(hold, [followed]);
    else if (overlaps.length < OVERLAPS_PER_HOLD) overlaps.push(followed);
    else return;
    this.#open += 1;
    this.#furtherHolds += further;
  }

  #end(hold: Hold): void {
    for (const followed of this.#close(hold)) this.#goOn(followed);
  }

  #close(hold: Hold): readonly Followed[] {
    const overlaps = this.#byFirst.get(hold) ?? [];
    this.#byFirst.delete(hold);
    this.#open -= overlaps.length;
    for (const followed of overlaps) this.#furtherHolds -= furtherHolds(followed);
    return overlaps;
  }
}

function furtherHolds({ overlap: { others = [] } }: Followed): number {
  return others.length;
}

/**
 * The holds of others that may conflict with a hold, the latest first. `latest`: the open holds of its key, in the same
 * order.
 */
export function rivalsOf(hold: Hold, latest: Iterable<Hold>): readonly Hold[] {
  if (hold.doubtful) return [];
  const most = hold.share.kind === "exclusive" ? PAIRS_PER_EVENT : SCANNED_HOLDS;
  const rivals: Hold[] = [];
  for (const other of latest) {
    if (other !== hold && !other.doubtful) rivals.push(other);
    if (rivals.length === most) break;
  }
  return rivals;
}

/**
 * The latest hold of another beside which this one must not be held, undefined where it fits: holds beside each other may be
 * hundreds.
 */
export function conflictingHold(hold: Hold, holds: HoldTracker): Hold | undefined {
  if (holds.fits(hold)) return undefined;
  const sameClient = (earlier: number, later: number): boolean => holds.sameClient(earlier, later);
  return conflictsOf(hold, rivalsOf(hold, holds.latest(hold.key)), sameClient, new Map())[0]?.[0];
}

/**
 * Those of `rivals`, all held at one time with `hold`, beside which it must not be held. Each group is a conflict by
 * itself: a single hold that excludes it, or holds of a semaphore that are too many together with it. The two holds of a
 * reader that becomes a writer, or the other way round, are no conflict: they are one client's.
 */
export function conflictsOf(
  hold: Hold,
  rivals: readonly Hold[],
  sameClient: (earlier: number, later: number) => boolean,
  shares: PossibleShares,
): readonly (readonly [Hold, ...Hold[]])[] {
  const share = shareAt(shares, hold);
  const changesMode = (other: Hold): boolean =>
    other.share.kind !== hold.share.kind && sameClient(other.currentProcess, hold.currentProcess);
  const alone = rivals
    .filter((other) => excludeEachOther(share, shareAt(shares, other)) && !changesMode(other))
    .slice(0, 2 * PAIRS_PER_EVENT)
    .map((other): readonly [Hold] => [other]);
  if (share.kind !== "counted") return alone;
  const crowd = tooMany(
    hold,
    rivals.filter((other) => shareAt(shares, other).kind === "counted"),
    shares,
  );
  return crowd === undefined ? alone : [...alone, crowd];
}

/** The rivals of a semaphore's hold, the earliest first, if they are too many together with it. */
export function tooMany(
  hold: Hold,
  rivals: readonly Hold[],
  shares: PossibleShares,
): readonly [Hold, ...Hold[]] | undefined {
  // Nearly always there is room: to put a thousand holds in order for each grant would take most of the time.
  if (!exceeds([hold, ...rivals].map((other) => shareAt(shares, other)))) return undefined;
  const [first, ...others] = rivals.toSorted((one, other) => one.grantedIndex - other.grantedIndex);
  return first === undefined ? undefined : [first, ...others];
}
