import { isOtherMode, weaker, type Share } from "../../../core/sharing.ts";
import { expirableFrom, type LockModel, type LockOperation } from "../lock-models.ts";

/** What a lock needs to know that several owners may hold at a time. */
export interface SharingModel extends Pick<LockModel, "maxDepth" | "beganFree"> {
  /** True unless two processes belong to two clients for certain. */
  readonly sameClient: (earlier: number, later: number) => boolean;
}

/** One owner's hold of a key that others may hold too. */
export interface SharedHold {
  /** Undefined if nobody was told the owner value. */
  readonly owner: string | undefined;
  /** The process that was granted it last; that of an acquire of unknown outcome only if no other was. */
  readonly process: number;
  readonly depth: number;
  readonly share: Share;
  /** Whether it was entered in two modes, or a lease of it may only have been renewed: one release may end it. */
  readonly hasTwoModes: boolean;
  /** When the lease may expire at the earliest, in nanoseconds since the start. */
  readonly expirableFrom: number;
}

const EXCLUSIVE: Share = { kind: "exclusive" };

/**
 * A lock between two operations that several owners may hold at a time: a semaphore, or a read-write lock. Each owner has
 * at most one hold, which it may enter again. Only the room for a new hold depends on the others. Holds from before the
 * history take no room, because nobody knows of them.
 */
export class SharedLock {
  readonly #model: SharingModel;
  readonly #holds: Map<string, SharedHold>;
  #permits: number;
  #writers: number;
  #unknown: number;

  constructor(model: SharingModel, from?: SharedLock) {
    this.#model = model;
    this.#holds = new Map(from === undefined ? [] : from.#holds);
    this.#permits = from === undefined ? 0 : from.#permits;
    this.#writers = from === undefined ? 0 : from.#writers;
    this.#unknown = from === undefined ? 0 : from.#unknown;
  }

  clone(): SharedLock {
    return new SharedLock(this.#model, this);
  }

  get size(): number {
    return this.#holds.size;
  }

  get holds(): Iterable<SharedHold> {
    return this.#holds.values();
  }

  /** How many holds have an owner value that nobody was told. */
  get unknownOwners(): number {
    return this.#unknown;
  }

  hold(owner: string | undefined): SharedHold | undefined {
    return owner === undefined ? undefined : this.#holds.get(nameOf(owner));
  }

  /** The same lock without this hold. */
  end(hold: SharedHold): void {
    const known = nameOf(hold.owner);
    if (this.#holds.get(known) === hold) {
      this.#remove(known, hold);
      return;
    }
    for (const [name, other] of this.#holds) {
      if (other !== hold) continue;
      this.#remove(name, hold);
      return;
    }
  }

  /** Lets an operation take effect at `time` on its owner's own hold, if it can; if not, nothing changes. */
  apply(operation: LockOperation, time: number): boolean {
    const own = this.hold(operation.owner);
    switch (operation.kind) {
      case "acquire":
      case "reenter":
        return own === undefined ? this.#begin(operation, time) : this.#enter(own, operation, time);
      case "release":
        if (own !== undefined) return this.leave(own);
        return this.#isFromBefore(operation);
      case "extend":
        if (own !== undefined) return this.#replace(own, { expirableFrom: leaseFrom(own, operation, time) });
        return this.#isFromBefore(operation);
      case "lose":
        if (own === undefined) return false;
        this.#remove(nameOf(own.owner), own);
        return true;
      case "miss":
        return own === undefined;
      case "contended":
        return this.#holds.size > 0;
    }
  }

  /** Lets a release or an extension take effect on a hold whose owner value nobody was told. */
  applyTo(hold: SharedHold, operation: LockOperation, time: number): boolean {
    if (!operation.stranger || operation.owner === undefined || this.hold(operation.owner) !== undefined) return false;
    if (operation.kind === "release" && hold.depth === 1) {
      this.end(hold);
      return true;
    }
    this.end(hold);
    this.#add({ ...hold, owner: operation.owner, process: operation.process });
    return this.apply(operation, time);
  }

  /** The holds of the same client in the other mode: one of them may go on under the owner value of this acquire. */
  changedBy({ kind, owner, process, share = EXCLUSIVE }: LockOperation): readonly SharedHold[] {
    if ((kind !== "acquire" && kind !== "reenter") || this.hold(owner) !== undefined || share.kind === "counted")
      return [];
    return [...this.#holds.values()].filter(
      (hold) => (hold.hasTwoModes || isOtherMode(hold.share, share)) && this.#isOneClient(process, hold.process),
    );
  }

  /** One entry less. */
  leave(hold: SharedHold): boolean {
    const { depth, expirableFrom: from, hasTwoModes } = hold;
    if (depth > 1) return this.#replace(hold, { depth: depth - 1, expirableFrom: hasTwoModes ? -Infinity : from });
    this.end(hold);
    return true;
  }

  /** Whether a new hold has room beside all others. */
  hasRoom({ share = EXCLUSIVE, process }: LockOperation): boolean {
    if (share.kind === "counted") {
      let { limit } = share;
      if (this.#permits + share.permits > limit) {
        for (const hold of this.#holds.values())
          if (hold.share.kind === "counted") limit = Math.max(limit, hold.share.limit);
      }
      if (this.#permits + share.permits > limit) return false;
    }
    if (share.kind !== "exclusive" && this.#writers === 0) return true;
    for (const hold of this.#holds.values()) if (this.#excludes(share, process, hold)) return false;
    return true;
  }

  /** The holds without some or all of which there would be room, the first to expire first. */
  inTheWayOf({ share = EXCLUSIVE, process }: LockOperation): readonly SharedHold[] {
    return [...this.#holds.values()]
      .filter(
        (hold) => this.#excludes(share, process, hold) || (share.kind === "counted" && hold.share.kind === "counted"),
      )
      .toSorted((one, other) => one.expirableFrom - other.expirableFrom);
  }

  /** Whether a hold of this share cannot begin beside `hold`, whatever else is held. */
  #excludes(share: Share, process: number, hold: SharedHold): boolean {
    if (share.kind !== "exclusive" && hold.share.kind !== "exclusive") return false;
    // The holds of one client in two modes are no conflict.
    const isBeside = share.kind !== hold.share.kind && this.#isOneClient(process, hold.process);
    return !isBeside;
  }

  /** Whether another hold excludes this one if it is of this process, although beside its own process it may begin. */
  #isExcluded(own: SharedHold, process: number): boolean {
    for (const other of this.#holds.values()) {
      if (other === own || !this.#excludes(own.share, process, other)) continue;
      if (!this.#excludes(own.share, own.process, other)) return true;
    }
    return false;
  }

  #isOneClient(one: number, other: number): boolean {
    return this.#model.sameClient(one, other) || this.#model.sameClient(other, one);
  }

  /** Two locks with the same name allow the same. */
  name(): string {
    const names = [...this.#holds.values()].map(
      ({ owner, depth, share, expirableFrom: from, process, hasTwoModes }) =>
        `${owner === undefined ? "?" : JSON.stringify(owner)} ${process} ${depth} ${from} ${shareInWords(share)} ${hasTwoModes}`,
    );
    return names.toSorted().join();
  }

  #isFromBefore({ stranger }: LockOperation): boolean {
    return stranger && !this.#model.beganFree;
  }

  #begin(operation: LockOperation, time: number): boolean {
    if (!this.hasRoom(operation)) return false;
    const { owner, process, share = EXCLUSIVE } = operation;
    this.#add({ owner, process, depth: 1, share, hasTwoModes: false, expirableFrom: expirableFrom(operation, time) });
    return true;
  }

  #enter(own: SharedHold, operation: LockOperation, time: number): boolean {
    if (own.depth >= this.#model.maxDepth) return false;
    const share = weaker(own.share, operation.share ?? EXCLUSIVE);
    // A lock may tell two clients apart that use one owner value: then these are two holds with a lease each.
    const isOthers = !this.#isOneClient(own.process, operation.process);
    const from = isOthers ? -Infinity : leaseFrom(own, operation, time);
    const process = operation.required && !isOthers ? operation.process : own.process;
    // An acquire of unknown outcome may be of several clients, as far as anybody knows; another grant shows of which it was.
    if (process !== own.process && this.#isExcluded(own, process)) return false;
    const isOther = own.share.kind !== (operation.share ?? EXCLUSIVE).kind;
    const hasTwoModes = own.hasTwoModes || isOther || operation.mayRenew === true;
    return this.#replace(own, { depth: own.depth + 1, share, hasTwoModes, expirableFrom: from, process });
  }

  #add(hold: SharedHold): void {
    if (hold.owner === undefined) this.#unknown += 1;
    this.#count(hold.share, 1);
    let name = nameOf(hold.owner);
    while (this.#holds.has(name)) name += "?";
    this.#holds.set(name, hold);
  }

  #replace(hold: SharedHold, changes: Partial<SharedHold>): true {
    const name = nameOf(hold.owner);
    const changed = { ...hold, ...changes };
    this.#count(hold.share, -1);
    this.#count(changed.share, 1);
    this.#holds.set(name, changed);
    return true;
  }

  #remove(name: string, hold: SharedHold): void {
    this.#holds.delete(name);
    if (hold.owner === undefined) this.#unknown -= 1;
    this.#count(hold.share, -1);
  }

  #count(share: Share, by: number): void {
    if (share.kind === "counted") this.#permits += by * share.permits;
    if (share.kind === "exclusive") this.#writers += by;
  }
}

/** The lease that an operation sets on a hold. Where it is of several clients, nobody knows when which of their leases ends. */
function leaseFrom(own: SharedHold, operation: LockOperation, time: number): number {
  return own.expirableFrom === -Infinity ? -Infinity : expirableFrom(operation, time);
}

function nameOf(owner: string | undefined): string {
  return owner === undefined ? "?" : `=${owner}`;
}

function shareInWords(share: Share): string {
  return share.kind === "counted" ? `${share.permits}/${share.limit}` : share.kind;
}
