import type { HistoryEvent } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { Hold, HoldTracker } from "../../history/holds.ts";
import { possibleShares } from "./possible-shares.ts";
import type { HistoryStep } from "./history-step.ts";
import { conflictsOf, join, rivalsOf, type Overlap } from "./overlaps.ts";
import {
  type UndecidedOverlap,
  type PossibleLease,
  possibleLeaseAt,
  UndecidedLeases,
  wasInForce,
} from "./undecided-leases.ts";

/**
 * How many holds are remembered whose leases began an overlap. An overlap keeps the hold before it, which may have begun
 * another one, and so on: a lock that always grants twice would keep its whole history.
 */
const REMEMBERED_HOLDS = 20_000;
/** Of the others, the first ones: they explain the violations that are listed. */
const FIRST_HOLDS = 1000;

/**
 * How many overlaps that one hold began are remembered: as many of the first, which explain the violations that are listed, and
 * as many of the latest, which may still go on. A hold that is prolonged for hours may begin thousands.
 */
const OF_ONE_HOLD = 100;

/**
 * Notices when the leases of two holds of one key begin to overlap. A lease begins at the event that reports it, a
 * grant, an extension or a re-entry, and lasts as long as the lock promised there. So it overlaps exactly those leases
 * that are in force at that event. The lock has promised a lease even if its client has forgotten it. Whether a lease
 * is in force that an unanswered request may have cut is known when that request is answered.
 */
export class LeaseOverlaps {
  /** By the hold whose grant, extension or re-entry began them. */
  readonly #overlaps = new OldestFirst<Hold, readonly Overlap[]>();
  readonly #first = new Map<Hold, readonly Overlap[]>();
  readonly #undecided = new UndecidedLeases();

  /** The first overlap of the leases of these two, if they ever overlapped. */
  between(one: Hold, other: Hold): Overlap | undefined {
    return this.#begunBy(one, other) ?? this.#begunBy(other, one);
  }

  /** The first overlap that this hold began, by its grant or an extension, as far as it is remembered. */
  firstBegunBy(hold: Hold): Overlap | undefined {
    return this.#of(hold)[0];
  }

  /** How many leases are kept until an answer shows whether they were in force. */
  get undecided(): number {
    return this.#undecided.size;
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
    const among = new Set(holds);
    for (const hold of holds) {
      const found = this.#of(hold).find(
        ({ first, second, others = [] }) =>
          among.has(first) && among.has(second) && others.every((other) => among.has(other)),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * The overlaps that begin with this event, and those that began earlier and become certain by its answer. `holds` are
   * as they are after it.
   */
  push({ event, invocation, changes }: Omit<HistoryStep, "leaseOverlaps">, holds: HoldTracker): readonly Overlap[] {
    const decided = invocation === undefined ? [] : this.#undecided.answered(invocation.index);
    const begun = changes.flatMap((change) => {
      const { kind, hold } = change;
      if (kind === "ended" || kind === "possibly-renewed") return [];
      return this.#begun(hold, kind === "reentered" && change.upgrades ? "upgraded" : kind, event, holds);
    });
    return decided.length === 0
      ? begun
      : [...decided.flatMap((undecided) => this.#certain(undecided, holds)), ...begun];
  }

  #begun(
    hold: Hold,
    kind: UndecidedOverlap["kind"],
    { time, index }: HistoryEvent,
    holds: HoldTracker,
  ): readonly Overlap[] {
    const own = possibleLeaseAt(hold, time);
    if (own === undefined || holds.fits(hold)) return [];
    const others = [...rivalsOf(hold, holds.latest(hold.key)), ...rivalsOf(hold, holds.latestForgotten(hold.key))];
    const rivals = others.map((rival) => possibleLeaseAt(rival, time)).filter((rival) => rival !== undefined);
    const shares = possibleShares([own, ...rivals].map((party) => party.hold));
    const undecided = { own, rivals, shares, kind, time, index };
    if (this.#conflicts({ own, shares: new Map() }, rivals, holds).length === 0) return [];
    this.#undecided.add(undecided);
    return this.#certain(undecided, holds);
  }

  #conflicts(
    { own, shares }: Pick<UndecidedOverlap, "own" | "shares">,
    rivals: readonly PossibleLease[],
    holds: HoldTracker,
  ): ReturnType<typeof conflictsOf> {
    const held = rivals.map(({ hold }) => hold);
    return conflictsOf(own.hold, held, (earlier, later) => holds.sameClient(earlier, later), shares);
  }

  /** The overlaps that have become certain and are not known yet. */
  #certain(undecided: UndecidedOverlap, holds: HoldTracker): readonly Overlap[] {
    const { own, rivals, shares, kind, time, index } = undecided;
    if (!wasInForce(own)) return [];
    const { hold } = own;
    const inForce = rivals.filter(wasInForce);
    const leases = new Map([own, ...inForce].map((party) => [party.hold, party.lease]));
    const found: Overlap[] = [];
    for (const group of this.#conflicts(undecided, inForce, holds)) {
      if (group.every((rival) => this.between(hold, rival) !== undefined)) continue;
      if (index !== hold.resumedIndex && this.#goesOn(hold, group, kind)) continue;
      // Of several permits another hold may have begun it, by its grant.
      const met = this.among([...group, hold]);
      if (met !== undefined) {
        if (kind === "granted") join(met, hold);
        continue;
      }
      const [first, ...further] = [...group, hold].toSorted((one, other) => one.grantedIndex - other.grantedIndex);
      const second = further.pop();
      const lease = first === undefined ? undefined : leases.get(first);
      if (first === undefined || second === undefined || lease === undefined) continue;
      const others = further.length === 0 ? {} : { others: further, joined: [] };
      const extended = kind === "granted" ? {} : kind === "upgraded" ? { upgraded: hold } : { extended: hold };
      found.push({ first, second, ...others, shares, from: time, index, ...lease, ...extended });
    }
    if (found.length > 0) this.#remember(hold, firstAndLatest([...this.#of(hold), ...found]));
    return found;
  }

  /**
   * Whether too many permits were promised before this lease, which was in force, was prolonged: some of their holders may have
   * left since, and others come.
   */
  #goesOn(hold: Hold, group: readonly Hold[], kind: UndecidedOverlap["kind"]): boolean {
    if (kind === "granted") return false;
    const crowd = [hold, ...group];
    const promised = new Set(crowd);
    return crowd.some((begun) =>
      this.#of(begun).some(
        ({ first, second, others = [] }) =>
          [first, second, ...others].filter((other) => promised.has(other)).length > 1,
      ),
    );
  }

  #remember(hold: Hold, overlaps: readonly Overlap[]): void {
    this.#overlaps.set(hold, overlaps);
    const { size, oldest } = this.#overlaps;
    if (size <= REMEMBERED_HOLDS || oldest === undefined) return;
    this.#overlaps.delete(oldest[0]);
    if (this.#first.size < FIRST_HOLDS) this.#first.set(...oldest);
  }
}

function firstAndLatest(overlaps: readonly Overlap[]): readonly Overlap[] {
  if (overlaps.length <= 2 * OF_ONE_HOLD) return overlaps;
  return [...overlaps.slice(0, OF_ONE_HOLD), ...overlaps.slice(-OF_ONE_HOLD)];
}
