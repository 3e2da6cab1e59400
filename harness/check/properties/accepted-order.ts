import { statedOwner } from "../../history/owner-value.ts";
import type { AuditEvent } from "../../history/history.ts";
import type { AuditedPositions } from "../evidence/audited-positions.ts";

/** A write with a fencing token that a resource accepted. */
export interface Accepted {
  readonly fence: number;
  readonly event: AuditEvent;
}

/** Two accepted writes of one resource whose fencing tokens are in the wrong order; `later` has the larger position. */
export interface Inversion {
  readonly earlier: Accepted;
  readonly later: Accepted;
}

/** Accepted writes at positions that follow each other without a gap, and their smallest and largest fencing token. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly smallest: Accepted | undefined;
  readonly largest: Accepted | undefined;
}

interface KeyOrder {
  /** Pieces by their first and by their last position. No two of them touch. */
  readonly byFrom: Map<number, Piece>;
  readonly byTo: Map<number, Piece>;
  /** The largest position so far. */
  highest: number;
  largest: Accepted | undefined;
  /** Whether the audit listed a position below one that it had listed before. */
  isDisordered: boolean;
}

/**
 * Compares the fencing tokens of accepted writes in the order of their positions, in whatever order the audit lists
 * them. Another write can only belong before or after a piece, so its smallest and largest fencing token are enough:
 * an audit in order is one piece, however long it is.
 *
 * A write that is listed in order is compared with the largest fencing token before it. Of writes that are listed late
 * one inversion is found for each two pieces, not one for each write.
 */
export class AcceptedOrder {
  readonly #keys = new Map<string, KeyOrder>();
  readonly #audited: AuditedPositions;

  /** @param audited the positions that the audit has named: it must not yet have the write that is added */
  constructor(audited: AuditedPositions) {
    this.#audited = audited;
  }

  /** The largest fencing token that the audit has listed as accepted. */
  largest(key: string): Accepted | undefined {
    return this.#keys.get(key)?.largest;
  }

  /** Whether the audit lists the writes of this resource in another order than that of their positions. */
  isDisordered(key: string): boolean {
    return this.#keys.get(key)?.isDisordered ?? false;
  }

  /** Takes the next write that the audit lists as accepted, and gives the inversions that it shows. */
  add(event: AuditEvent): readonly Inversion[] {
    const { key } = event;
    const { position, fence } = event.value;
    const order = this.#of(key);
    const write = fence === undefined ? undefined : { fence, event };
    if (position < order.highest) order.isDisordered = true;
    if (this.#audited.has(key, position)) return this.#again(order, write);
    if (position > order.highest) return this.#next(order, position, write);
    if (isLarger(write, order.largest)) order.largest = write;
    return insert(order, { from: position, to: position, smallest: write, largest: write });
  }

  /** The inversions between pieces that the audit never joined. To be called once, after the last event. */
  finish(): readonly Inversion[] {
    return [...this.#keys.values()].flatMap(({ byFrom }) => {
      let before: Accepted | undefined;
      return [...byFrom.values()]
        .toSorted((left, right) => left.from - right.from)
        .flatMap(({ smallest, largest }) => {
          const found = inversion(before, smallest);
          if (isLarger(largest, before)) before = largest;
          return found;
        });
    });
  }

  #of(key: string): KeyOrder {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const fresh = { byFrom: new Map(), byTo: new Map(), highest: -1, largest: undefined, isDisordered: false };
    this.#keys.set(key, fresh);
    return fresh;
  }

  /** A write after all others. One that is reported here is no part of its piece: it is not to be reported twice. */
  #next(order: KeyOrder, position: number, write: Accepted | undefined): readonly Inversion[] {
    const found = inversion(order.largest, write);
    const kept = found.length === 0 ? write : undefined;
    order.highest = position;
    if (isLarger(kept, order.largest)) order.largest = kept;
    insert(order, { from: position, to: position, smallest: kept, largest: kept });
    return found;
  }

  /** A second write at one position. Of these two the audit was listed first that the resource accepted first. */
  #again(order: KeyOrder, write: Accepted | undefined): readonly Inversion[] {
    const { largest } = order;
    if (write === undefined || (largest !== undefined && positionOf(write) < positionOf(largest))) return [];
    const found = inversion(largest, write);
    if (isLarger(write, largest)) order.largest = write;
    return found;
  }
}

/** Adds a piece, joins it with those that it touches, and gives the inversions between them. */
function insert(order: KeyOrder, piece: Piece): readonly Inversion[] {
  const [before, after] = [order.byTo.get(piece.from - 1), order.byFrom.get(piece.to + 1)];
  let joined = piece;
  const found: Inversion[] = [];
  if (before !== undefined) {
    order.byTo.delete(before.to);
    order.byFrom.delete(before.from);
    found.push(...inversion(before.largest, joined.smallest));
    joined = join(before, joined);
  }
  if (after !== undefined) {
    order.byTo.delete(after.to);
    order.byFrom.delete(after.from);
    found.push(...inversion(joined.largest, after.smallest));
    joined = join(joined, after);
  }
  order.byFrom.set(joined.from, joined);
  order.byTo.set(joined.to, joined);
  return found;
}

/** If the second has a smaller fencing token than the first, both were compared: the pieces that follow need it not. */
function join(first: Piece, second: Piece): Piece {
  return {
    from: first.from,
    to: second.to,
    smallest: first.smallest ?? second.smallest,
    largest: isLarger(second.largest, first.largest) ? second.largest : first.largest,
  };
}

/** Of two equal ones, that counts of which the owner is known: it can be compared with more. */
function isLarger(write: Accepted | undefined, than: Accepted | undefined): boolean {
  if (write === undefined || than === undefined) return write !== undefined;
  return write.fence > than.fence || (write.fence === than.fence && than.event.value.owner === undefined);
}

function inversion(earlier: Accepted | undefined, later: Accepted | undefined): readonly Inversion[] {
  if (earlier === undefined || later === undefined) return [];
  return isBehind(later.event, later.fence, earlier) ? [{ earlier, later }] : [];
}

/** Whether a resource that checks fencing tokens refuses this write, with this token, after the accepted one. */
export function isBehind(write: AuditEvent, fence: number, accepted: Accepted): boolean {
  return fence < accepted.fence || (fence === accepted.fence && areOfTwo(write, accepted.event));
}

/**
 * Whether the writes are of two owners. By clocks that differ, the resource may list the one before the grant that shows that its owner
 * value stands for an older one, and the other after it: then they state the same value.
 */
function areOfTwo(one: AuditEvent, other: AuditEvent): boolean {
  const [mine, theirs] = [one.value.owner, other.value.owner];
  if (mine === undefined || theirs === undefined || mine === theirs) return false;
  return (statedOwner(one) ?? mine) !== (statedOwner(other) ?? theirs);
}

function positionOf({ event }: Accepted): number {
  return event.value.position;
}
