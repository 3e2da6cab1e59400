import { isOtherMode, type Share, weaker } from "../../../core/sharing.ts";
import { expirableFrom, type LockOperation } from "../lock-models.ts";
import type { SharingModel } from "./sharing-model.ts";

/** The hold of one owner in the order that is followed, as far as it is settled. */
export interface PossibleHold {
  readonly owner: string;
  readonly process: number;
  share: Share;
  /** Whether it was entered in two modes: one release may end it. */
  hasTwoModes: boolean;
  /** How often it may have been entered: 0 if it may be over. What its owner is told later decides. */
  depths: readonly number[];
  /** When its lease may expire at the earliest, in nanoseconds since the start. */
  expirableFrom: number;
  /**
   * If it may have made room for others: how many permits may have been left all the time since then, so that it may have
   * lasted all the same. Undefined if it takes its room.
   */
  slack: number | undefined;
}

const EXCLUSIVE: Share = { kind: "exclusive" };
/** So many may take room before those are looked for whose lease may be over. */
const KEPT = 64;
/** So many numbers of entries of one hold are told apart. */
const MOST_DEPTHS = 32;

/**
 * The holds of a key in one order of its operations. A hold that may be over need not be decided at once: it takes no room,
 * and may still turn out to have lasted, as long as there would have been room for it all the time.
 */
export class PossibleHolds {
  readonly #model: SharingModel;
  readonly #holds = new Map<string, PossibleHold>();
  /** Those that take room. */
  readonly #taking = new Set<PossibleHold>();
  /** Those that may have made room: readers, of which there may be any number, and others. */
  readonly #optionalReaders = new Set<PossibleHold>();
  readonly #optional = new Set<PossibleHold>();
  /** With more that take room, those are looked for whose lease may be over. */
  #mostTaking = KEPT;
  /** Whether one of them was entered in two modes. */
  #hasTwoModes = false;
  #permits = 0;
  #writers = 0;

  constructor(model: SharingModel) {
    this.#model = model;
  }

  get size(): number {
    return this.#holds.size;
  }

  get(owner: string): PossibleHold | undefined {
    return this.#holds.get(owner);
  }

  /** Those that take room, and because of which there may be none for this acquire. */
  inTheWayOf({ share = EXCLUSIVE, process }: LockOperation): readonly PossibleHold[] {
    return [...this.#taking].filter(
      (hold) => this.#excludes(share, process, hold) || (share.kind === "counted" && hold.share.kind === "counted"),
    );
  }

  hasRoom({ share = EXCLUSIVE, process }: LockOperation): boolean {
    if (share.kind === "counted" && this.#permits + share.permits > share.limit) return false;
    if (share.kind !== "exclusive" && this.#writers === 0) return true;
    for (const hold of this.#taking) if (this.#excludes(share, process, hold)) return false;
    return true;
  }

  /** The hold of a grant for which there is room. */
  begin(operation: LockOperation, owner: string, time: number): void {
    const { process, share = EXCLUSIVE } = operation;
    const from = expirableFrom(operation, time);
    const hold: PossibleHold = {
      owner,
      process,
      share,
      hasTwoModes: false,
      depths: [1],
      expirableFrom: from,
      slack: undefined,
    };
    this.#change(hold);
    this.#holds.set(owner, hold);
    this.#taking.add(hold);
    this.#count(share, 1);
    this.#narrow(hold);
    if (this.#taking.size > this.#mostTaking) this.#expireReaders(time);
  }

  /** Where no writer comes, all readers that never release would take room to the end. */
  #expireReaders(time: number): void {
    for (const hold of this.#taking) {
      if (hold.share.kind === "shared" && hold.expirableFrom <= time) this.makeOptional(hold);
    }
    this.#mostTaking = Math.max(KEPT, 2 * this.#taking.size);
  }

  /** Holds of the same client in the other mode may go on under the owner value of this one. */
  #change({ share, process }: PossibleHold): void {
    const hasOtherModes = share.kind === "exclusive" || this.#writers > 0 || this.#hasTwoModes;
    if (share.kind === "counted" || !hasOtherModes) return;
    // Those that take no room may be over in any case.
    for (const other of this.#taking) {
      if (!this.isChanged(other, share, process) || other.depths.includes(0)) continue;
      other.depths = [0, ...other.depths];
    }
  }

  /** Whether this hold may go on under another owner value, under which this process is granted this share. */
  isChanged(hold: PossibleHold, share: Share | undefined, process: number): boolean {
    return (
      (hold.hasTwoModes || isOtherMode(hold.share, share ?? EXCLUSIVE)) && this.#isOneClient(process, hold.process)
    );
  }

  /** The owner enters its hold again, or begins a new one if the old one may be over. */
  enter(hold: PossibleHold, operation: LockOperation, time: number, mayBeNew: boolean): void {
    const share = weaker(hold.share, operation.share ?? EXCLUSIVE);
    const isSame = !isOtherShare(hold.share, share) && !isOtherShare(operation.share ?? EXCLUSIVE, share);
    const again = hold.depths.filter((depth) => depth > 0).map((depth) => depth + 1);
    const isNew = mayBeNew && isSame;
    this.#count(hold.share, -1);
    hold.hasTwoModes ||= hold.share.kind !== (operation.share ?? EXCLUSIVE).kind;
    this.#hasTwoModes ||= hold.hasTwoModes;
    hold.share = share;
    this.#count(share, 1);
    const renewed = operation.mayRenew === true ? hold.depths.filter((depth) => depth > 0) : [];
    hold.depths = fewOf(new Set([...(isNew ? [1] : []), ...renewed, ...again]));
    hold.expirableFrom = expirableFrom(operation, time);
    this.#narrow(hold);
  }

  /** Whether its owner has less after this acquire than before. */
  isForLess({ share }: PossibleHold, operation: LockOperation): boolean {
    return isOtherShare(share, weaker(share, operation.share ?? EXCLUSIVE));
  }

  /** Its owner uses it: it has lasted until now. False if it cannot have. */
  confirm(hold: PossibleHold): boolean {
    if (!hold.depths.some((depth) => depth > 0)) return false;
    hold.depths = hold.depths.filter((depth) => depth > 0);
    if (hold.slack === undefined) return true;
    hold.slack = undefined;
    this.#optionalOf(hold).delete(hold);
    this.#taking.add(hold);
    this.#count(hold.share, 1);
    this.#narrow(hold);
    return true;
  }

  /** One entry less. */
  leave(hold: PossibleHold): void {
    hold.depths = hold.depths.map((depth) => depth - 1);
    if (hold.hasTwoModes) hold.expirableFrom = -Infinity;
    if (hold.depths.every((depth) => depth === 0)) this.end(hold);
  }

  end(hold: PossibleHold): void {
    this.#holds.delete(hold.owner);
    this.#taking.delete(hold);
    if (!this.#optionalOf(hold).delete(hold)) this.#count(hold.share, -1);
  }

  /** It may make room from now on. */
  makeOptional(hold: PossibleHold): void {
    hold.slack = Infinity;
    this.#taking.delete(hold);
    this.#optionalOf(hold).add(hold);
    this.#count(hold.share, -1);
  }

  /** What has begun now leaves less room for those that may have lasted. */
  #narrow({ share, owner }: PossibleHold): void {
    for (const other of this.#optional) this.#narrowOne(other, owner, share);
    if (share.kind === "shared") return;
    for (const other of this.#optionalReaders) this.#narrowOne(other, owner, share);
  }

  #narrowOne(other: PossibleHold, owner: string, share: Share): void {
    const isExcluded = other.owner !== owner && (share.kind === "exclusive" || other.share.kind === "exclusive");
    const left = share.kind === "counted" ? share.limit - this.#permits : Infinity;
    other.slack = Math.min(other.slack ?? Infinity, isExcluded ? -1 : left);
    const needed = other.share.kind === "counted" ? other.share.permits : 0;
    if (other.slack < needed) this.end(other);
  }

  #optionalOf({ share }: PossibleHold): Set<PossibleHold> {
    return share.kind === "shared" ? this.#optionalReaders : this.#optional;
  }

  /** Whether a hold of this share cannot begin beside `hold`, whatever else is held. */
  #excludes(share: Share, process: number, hold: PossibleHold): boolean {
    if (share.kind !== "exclusive" && hold.share.kind !== "exclusive") return false;
    // The holds of one client in two modes are no conflict.
    return !(share.kind !== hold.share.kind && this.#isOneClient(process, hold.process));
  }

  #isOneClient(one: number, other: number): boolean {
    const { sameClient } = this.#model;
    return sameClient(one, other) || sameClient(other, one);
  }

  #count(share: Share, by: number): void {
    if (share.kind === "counted") this.#permits += by * share.permits;
    if (share.kind === "exclusive") this.#writers += by;
  }
}

/** In ascending order; of very many the least and the most. */
function fewOf(depths: ReadonlySet<number>): readonly number[] {
  const ascending = [...depths].toSorted((one, other) => one - other);
  if (ascending.length <= MOST_DEPTHS) return ascending;
  return [...ascending.slice(0, MOST_DEPTHS / 2), ...ascending.slice(-MOST_DEPTHS / 2)];
}

function isOtherShare(one: Share, other: Share): boolean {
  if (one.kind !== other.kind) return true;
  return one.kind === "counted" && other.kind === "counted" && one.permits !== other.permits;
}
