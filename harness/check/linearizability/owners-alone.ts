import type { Follower, Impossible } from "./follower.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { Linearization } from "./linearization.ts";
import type { LockModel, LockOperation } from "./lock-models.ts";
import { SharedOwnerLinearization } from "./shared-owner-linearization.ts";
import type { StepBudget } from "./step-budget.ts";

/** How many acquires of unknown outcome are offered to owners without a known grant. */
const MOST_UNKNOWN = 1000;
/** How many owners without a known grant are followed at a time. */
const MOST_STRANGERS = 100;
/** How many owners are followed at a time: about 20 MB. Of those of which something is open for ever there may be any number. */
const MOST_OWNERS = 20_000;
/** How many are remembered of those that are no longer followed. With more, no other owner is followed. */
const MOST_DROPPED = 500_000;

interface Owner {
  follower: Follower;
  /** Operations that are announced and not placed. */
  readonly waiting: Set<LockOperation>;
  /** Nothing that it is told is judged any more. */
  isDoubtful: boolean;
  /** Whether an operation of it may refer to an acquire of unknown outcome. */
  isStranger: boolean;
  /** Whether an operation of unknown outcome may change its hold at any time. */
  isOpen: boolean;
}

/**
 * Follows each owner of a key that several may hold as if it were alone with a reentrant lock: what the others do
 * cannot explain what an owner is told of its own hold.
 */
export class OwnersAlone {
  readonly #model: LockModel;
  readonly #budget: StepBudget;
  readonly #owners = new OldestFirst<string, Owner>();
  /** Owners that are no longer followed: nothing that they are told is judged any more. */
  readonly #dropped = new Set<string>();
  readonly #most: number;
  readonly #strangers = new Set<Owner>();
  readonly #unknown: LockOperation[] = [];
  #hasMoreUnknown = false;

  /** @param most how many owners are followed at a time */
  constructor(model: LockModel, budget: StepBudget, most = MOST_OWNERS) {
    this.#most = most;
    // The fencing tokens of holds at the same time have no order.
    this.#model = { ...model, fenced: false };
    this.#budget = budget;
  }

  announce(operation: LockOperation): void {
    if (operation.kind === "contended") return;
    if (operation.owner === undefined) {
      this.#announceUnknown(operation);
      return;
    }
    const owner = this.#of(operation.owner);
    if (operation.stranger) this.#admitStranger(owner);
    if (operation.required) owner.waiting.add(operation);
    else owner.isOpen = true;
    owner.follower.announce(operation);
  }

  confirm(operation: LockOperation): void {
    if (operation.owner !== undefined) this.#owners.get(operation.owner)?.follower.confirm(operation);
  }

  /** From now on operations of this owner may overlap in time. */
  allowOverlaps(name: string): void {
    const owner = this.#of(name);
    if (!(owner.follower instanceof Linearization)) return;
    const standing = { ...owner.follower.handOver(), waiting: [...owner.waiting] };
    owner.follower = new SharedOwnerLinearization(this.#model, this.#budget, standing);
  }

  /** Places the next completed operation. Returns what makes it impossible, if it certainly is. */
  push(operation: LockOperation): Impossible | undefined {
    if (operation.owner === undefined || operation.kind === "contended") return undefined;
    const owner = this.#of(operation.owner);
    owner.waiting.delete(operation);
    if (owner.isDoubtful) return undefined;
    const impossible = owner.follower.push(operation);
    if (impossible === undefined) {
      this.#dropIdle(operation.owner, owner);
      return undefined;
    }
    owner.isDoubtful = true;
    return owner.follower.truncated ? undefined : impossible;
  }

  #of(name: string): Owner {
    const known = this.#owners.get(name);
    if (known !== undefined) {
      this.#owners.set(name, known);
      return known;
    }
    const follower = new Linearization(this.#model, this.#budget);
    const isDoubtful = this.#dropped.has(name) || this.#dropped.size >= MOST_DROPPED;
    const fresh = { follower, waiting: new Set<LockOperation>(), isDoubtful, isStranger: false, isOpen: false };
    this.#owners.set(name, fresh);
    if (this.#owners.size > this.#most) this.#dropOldest();
    return fresh;
  }

  /** The one that did nothing for longest. */
  #dropOldest(): void {
    const [name, owner] = this.#owners.oldest!;
    this.#owners.delete(name);
    this.#strangers.delete(owner);
    if (this.#dropped.size < MOST_DROPPED) this.#dropped.add(name);
  }

  #announceUnknown(acquire: LockOperation): void {
    if (this.#unknown.length < MOST_UNKNOWN) this.#unknown.push(acquire);
    else this.#hasMoreUnknown = true;
    for (const owner of this.#strangers) owner.follower.announce(acquire);
  }

  /** An acquire of unknown outcome may be of any owner without a known grant. */
  #admitStranger(owner: Owner): void {
    if (owner.isStranger) return;
    owner.isStranger = true;
    if (this.#hasMoreUnknown || this.#strangers.size >= MOST_STRANGERS) owner.isDoubtful = true;
    else {
      for (const acquire of this.#unknown) owner.follower.announce(acquire);
      this.#strangers.add(owner);
    }
  }

  /** An owner that holds nothing, and of which nothing is open, is forgotten: it may begin anew. */
  #dropIdle(name: string, owner: Owner): void {
    const { follower, waiting, isOpen, isDoubtful } = owner;
    if (isOpen || isDoubtful || waiting.size > 0 || !(follower instanceof Linearization) || !follower.isFree) return;
    this.#owners.delete(name);
    this.#strangers.delete(owner);
  }
}
