import { expirableFrom, type LockOperation } from "../lock-models.ts";
import { OldestFirst } from "../../../history/oldest-first.ts";
import type { StepBudget } from "../step-budget.ts";
import { type PossibleHold, PossibleHolds } from "./possible-holds.ts";
import type { SharingModel } from "./sharing-model.ts";

/** For how many owners, and how many acquires, operations of unknown outcome are kept. Older ones are hardly ever needed. */
const MOST_POSSIBLE = 10_000;

/**
 * Looks for one order that explains the operations on a key that several owners may hold: each operation takes effect at
 * its completion, unless another one needs it before. If one is found, the operations are linearizable. If none is found,
 * there may be one all the same.
 */
export class Witness {
  readonly #budget: StepBudget;
  readonly #holds: PossibleHolds;
  readonly #beganFree: boolean;
  /** By owner, the operations that are announced and not completed, in the order of completions. */
  readonly #pending = new Map<string, Set<LockOperation>>();
  /** By owner, its operations of unknown outcome that have not taken effect. */
  readonly #possible = new OldestFirst<string, Set<LockOperation>>(MOST_POSSIBLE);
  /** Acquires of unknown outcome that have not taken effect, by their invocation. */
  readonly #unknown = new OldestFirst<number, LockOperation>(MOST_POSSIBLE);
  /** The invocations of those that took effect: an acquire may be listed for several owners. */
  readonly #used = new Set<number>();
  /** Operations that took effect and are not completed. */
  readonly #early = new Set<LockOperation>();
  /** When the last of them took effect, at the earliest. */
  #time = 0;
  #isLost = false;

  constructor(model: SharingModel, budget: StepBudget) {
    this.#budget = budget;
    this.#beganFree = model.beganFree;
    this.#holds = new PossibleHolds(model);
  }

  /** Whether no order is known any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Announces an operation, once its outcome is known. */
  announce(operation: LockOperation): void {
    if (this.#isLost) return;
    const { owner, kind, required, invoked } = operation;
    if (required && owner !== undefined) addTo(this.#pending, owner, operation);
    if (required) return;
    if (owner === undefined) this.#unknown.set(invoked, operation);
    // More re-entries than are tried would be kept for nothing.
    else if (kind !== "reenter" || (this.#possible.get(owner)?.size ?? 0) < MOST_TRIED)
      addTo(this.#possible, owner, operation);
  }

  /** Places the next completed operation. */
  push(operation: LockOperation): void {
    if (this.#isLost) return;
    const { owner = "" } = operation;
    removeFrom(this.#pending, owner, operation);
    this.#budget.spend(1);
    if (this.#early.delete(operation)) return;
    if (!this.#place(operation, owner) || this.#budget.exhausted) this.#lose();
  }

  #lose(): void {
    this.#isLost = true;
    this.#pending.clear();
    this.#early.clear();
  }

  #place(next: LockOperation, owner: string): boolean {
    switch (next.kind) {
      case "acquire":
        return this.#acquire(next, owner, next);
      case "release":
      case "extend":
        return this.#use(next, owner) || this.#useUnseen(next, owner);
      case "miss":
        return this.#miss(next, owner);
      default:
        return false;
    }
  }

  /** Lets `acquire` take effect before the completion of `next`. */
  #acquire(acquire: LockOperation, owner: string, next: LockOperation): boolean {
    const own = this.#holds.get(owner);
    const mayBeOver =
      own !== undefined &&
      (own.expirableFrom <= next.completedTime || own.depths.includes(0) || this.#mayEnd(own, next));
    if (own !== undefined && this.#holds.confirm(own)) {
      const isOver = own.expirableFrom <= next.completedTime;
      if (isOver) this.#wait(own.expirableFrom);
      this.#wait(acquire.invokedTime);
      this.#holds.enter(own, acquire, this.#time, mayBeOver);
      return true;
    }
    if (own !== undefined) this.#holds.end(own);
    if (!this.#makeRoom(acquire, next)) return false;
    this.#wait(acquire.invokedTime);
    this.#holds.begin(acquire, owner, this.#time);
    return true;
  }

  /** A release or an extension of its owner's own hold. */
  #use(operation: LockOperation, owner: string): boolean {
    const own = this.#holds.get(owner);
    if (own === undefined || !this.#holds.confirm(own)) return false;
    this.#wait(operation.invokedTime);
    if (operation.kind === "release") this.#holds.leave(own);
    else own.expirableFrom = expirableFrom(operation, this.#time);
    return true;
  }

  /** The same, where an acquire that is not completed, or of unknown outcome, must have begun the hold before. */
  #useUnseen(next: LockOperation, owner: string): boolean {
    const own = this.#holds.get(owner);
    if (own !== undefined) this.#holds.end(own);
    for (const acquire of this.#acquiresOf(owner, next)) {
      this.#budget.spend(1);
      if (!this.#acquire(acquire, owner, next)) continue;
      this.#mark(acquire, owner);
      return this.#use(next, owner);
    }
    return next.stranger && !this.#beganFree;
  }

  #acquiresOf(owner: string, next: LockOperation): readonly LockOperation[] {
    const pending = [...(this.#pending.get(owner) ?? [])].filter((other) => !this.#early.has(other));
    const possible = [...(this.#possible.get(owner) ?? [])];
    const known = [...pending, ...possible].filter(({ kind }) => kind === "acquire" || kind === "reenter");
    const unknown = next.stranger ? this.#unknown.values() : [];
    const found: LockOperation[] = [];
    for (const acquires of [known, unknown]) {
      for (const acquire of acquires) {
        if (acquire.invoked < next.completed && !this.#used.has(acquire.invoked)) found.push(acquire);
        if (found.length >= MOST_TRIED) return found;
      }
    }
    return found;
  }

  /** A release found that its owner holds nothing. */
  #miss(next: LockOperation, owner: string): boolean {
    const own = this.#holds.get(owner);
    if (own === undefined) return true;
    if (own.depths.includes(0) || own.slack !== undefined) this.#holds.end(own);
    else if (own.expirableFrom <= next.completedTime) {
      this.#wait(own.expirableFrom);
      this.#holds.end(own);
    } else return this.#endBy(own, next);
    return true;
  }

  /** Whether an operation of unknown outcome may have ended a hold that was entered once. It counts as done. */
  #mayEnd({ owner, depths }: PossibleHold, next: LockOperation): boolean {
    for (const change of this.#possible.get(owner) ?? []) {
      if (change.invoked >= next.completed) continue;
      if (change.kind !== "lose" && !(change.kind === "release" && depths.includes(1))) continue;
      this.#wait(change.invokedTime);
      this.#mark(change, owner);
      return true;
    }
    return false;
  }

  /** Ends a hold by an operation of its owner that may take effect before the completion of `next`. */
  #endBy(hold: PossibleHold, next: LockOperation): boolean {
    const { owner } = hold;
    const changes = [...(this.#pending.get(owner) ?? []), ...(this.#possible.get(owner) ?? [])];
    for (const change of changes) {
      this.#budget.spend(1);
      if (change === next || change.invoked >= next.completed || this.#early.has(change)) continue;
      if (change.kind !== "release" && change.kind !== "lose") continue;
      this.#wait(change.invokedTime);
      this.#mark(change, owner);
      if (change.kind === "lose") this.#holds.end(hold);
      else this.#holds.leave(hold);
      if (this.#holds.get(owner) !== hold) return true;
    }
    return false;
  }

  #makeRoom(acquire: LockOperation, next: LockOperation): boolean {
    if (this.#holds.hasRoom(acquire)) return true;
    const inTheWay = this.#holds.inTheWayOf(acquire);
    this.#budget.spend(inTheWay.length);
    for (const hold of inTheWay) {
      const [first] = this.#pending.get(hold.owner) ?? [];
      if (first?.kind === "release" && first.invoked < next.completed && this.#endBy(hold, next)) {
        if (this.#holds.hasRoom(acquire)) return true;
      }
    }
    for (const hold of inTheWay) if (this.#enterForLess(hold, next) && this.#holds.hasRoom(acquire)) return true;
    for (const hold of inTheWay) if (this.#changeMode(hold, next) && this.#holds.hasRoom(acquire)) return true;
    // Those that their owners are known to use next come last.
    for (const isUsed of [false, true]) {
      for (const hold of inTheWay) {
        const [first] = this.#pending.get(hold.owner) ?? [];
        const isUsedNext = first !== undefined && first.kind !== "miss" && first.kind !== "acquire";
        if (isUsedNext === isUsed && this.#holds.get(hold.owner) === hold) this.#giveWay(hold, next);
      }
      if (this.#holds.hasRoom(acquire)) return true;
    }
    return false;
  }

  /** Its owner enters it again for less, if it has asked to before the completion of `next`: the rest is free from then on. */
  #enterForLess(hold: PossibleHold, next: LockOperation): boolean {
    for (const again of this.#pending.get(hold.owner) ?? []) {
      if (again.invoked >= next.completed || again.kind !== "acquire") return false;
      if (again === next || this.#early.has(again)) continue;
      if (!this.#holds.isForLess(hold, again) || !this.#acquire(again, hold.owner, next)) return false;
      this.#mark(again, hold.owner);
      return true;
    }
    return false;
  }

  /** Its client becomes a reader under another owner value, if it has asked to before the completion of `next`. */
  #changeMode(hold: PossibleHold, next: LockOperation): boolean {
    if (hold.share.kind !== "exclusive") return false;
    for (const [owner, pending] of this.#pending) {
      this.#budget.spend(1);
      const [first] = pending;
      if (first?.kind !== "acquire" || first.invoked >= next.completed || first === next || this.#early.has(first))
        continue;
      if (owner === hold.owner || !this.#holds.isChanged(hold, first.share, first.process)) continue;
      if (!this.#acquire(first, owner, next)) continue;
      this.#mark(first, owner);
      this.#giveWay(hold, next);
      return true;
    }
    return false;
  }

  /** The hold takes no room any more, if it may be over before the completion of `next`. */
  #giveWay(hold: PossibleHold, next: LockOperation): void {
    if (hold.slack !== undefined) return;
    if (hold.depths.includes(0)) this.#holds.makeOptional(hold);
    else if (hold.expirableFrom <= next.completedTime) {
      this.#wait(hold.expirableFrom);
      this.#holds.makeOptional(hold);
    } else this.#endBy(hold, next);
  }

  #wait(time: number): void {
    this.#time = Math.max(this.#time, time);
  }

  /** It has taken effect. */
  #mark(operation: LockOperation, owner: string): void {
    if (operation.required) this.#early.add(operation);
    else {
      removeFrom(this.#possible, owner, operation);
      this.#unknown.delete(operation.invoked);
      if (operation.kind !== "release") this.#used.add(operation.invoked);
    }
  }
}

/** How many acquires are tried that may have begun a hold. */
const MOST_TRIED = 8;

type Sets = Pick<Map<string, Set<LockOperation>>, "get" | "delete"> & {
  set: (name: string, operations: Set<LockOperation>) => unknown;
};

function addTo(map: Sets, name: string, operation: LockOperation): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, new Set([operation]));
  else known.add(operation);
}

function removeFrom(map: Sets, name: string, operation: LockOperation): void {
  const known = map.get(name);
  known?.delete(operation);
  if (known?.size === 0) map.delete(name);
}
