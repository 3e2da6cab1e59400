import { statedIn } from "../../history/unordered.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import type { LockCompletion, LockInvocation } from "../linearizability/open-operation.ts";
import type { LockEvent } from "../linearizability/sharing/lock-events.ts";

/** How many owner values are remembered, of each kind. */
const MOST_REMEMBERED = 100_000;

const TOO_MANY = "the clock leaves the order of too many operations open";
const SHARED = "the clock leaves the order of operations of one owner value open";

/** What follows the operations of one key that are not left out. */
interface Followed {
  /** Whether this owner may hold the key by an operation that is followed, or may do so yet. */
  mayHold(owner: string): boolean;
  /** Forgets what this process has under way. */
  forgo(process: number): void;
  /** What is followed decides nothing any more. */
  giveUp(why: string): void;
}

/** An owner value whose operations are left out. */
interface LeftOut {
  /** How often it was granted the key, less how often it gave it back. */
  entries: number;
  /** How many of its releases and extensions are under way. */
  open: number;
}

/** An operation under way. */
interface Open {
  readonly invocation: InvocationEvent;
  readonly isLeftOut: boolean;
}

/**
 * The owner values whose operations on one key `linearizability` leaves out: a coarse clock does not say in which order the
 * grant that began their hold, and what others did, came. As an acquire of unknown outcome it might take effect at any later
 * time and for any owner, and thousands of those have too many orders to be followed.
 *
 * To leave them out accuses nobody. Take an order of all operations that the model explains, and strike out what one owner did
 * from an instant at which it held nothing to one at which it holds nothing again, with the acquires of unknown outcome by which
 * it held then. The lock is free wherever that owner held it, and as before everywhere else. No operation of another owner needs
 * that somebody else holds: an acquire needs that nobody does, and a larger fencing token than those before it; a release, an
 * extension and a re-entry need the own hold, whose lease is as it was. So what is left is an order of the rest.
 *
 * This needs a model with owners, and that no refusal counts as seeing a holder. That the owner held nothing at first must be
 * certain: nothing that is followed, and that may have been under way with the grant, is of the same owner value. If an older acquire
 * turns out to be granted under it later, or an extension may have drawn another value, what is followed decides nothing.
 */
export class LeftOutOwners {
  readonly #followed: Followed;
  readonly #leftOut = new Map<string, LeftOut>();
  /** By process, the operations under way, in the order of invocation. */
  readonly #open = new OldestFirst<number, Open>();
  /** By owner value that is followed: its releases and extensions under way. */
  readonly #using = new Map<string, number>();
  /** By owner value that is followed, its last event, as long as something older is under way. */
  readonly #recent = new OldestFirst<string, number>();
  /** The same, of owner values that were left out and hold nothing any more. */
  readonly #over = new OldestFirst<string, number>();
  /** Before this event owner values may have been used that are forgotten. */
  #since = -1;

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  /** Takes an event. Returns whether it is left out. */
  takes(event: LockEvent): boolean {
    if (event.type === "lost" || event.type === "renewed") return this.#leftOut.has(event.value.owner);
    if (event.type === "invoke") return this.#begins(event);
    const open = this.#open.get(event.process);
    this.#open.delete(event.process);
    const isLeftOut = open !== undefined && this.#ends(event, open);
    if (isLeftOut) this.#followed.forgo(event.process);
    this.#prune();
    return isLeftOut;
  }

  /** To be called after the last event. */
  finish(): void {
    for (const { invocation, isLeftOut } of this.#open.values()) {
      if (isLeftOut && invocation.f === "extend") this.#followed.giveUp(SHARED);
    }
  }

  #begins(invocation: LockInvocation): boolean {
    const owner = invocation.f === "acquire" ? undefined : invocation.value.owner;
    const leftOut = owner === undefined ? undefined : this.#leftOut.get(owner);
    const isLeftOut = leftOut !== undefined;
    this.#open.set(invocation.process, { invocation, isLeftOut });
    if (leftOut !== undefined) leftOut.open += 1;
    else if (owner !== undefined) this.#using.set(owner, (this.#using.get(owner) ?? 0) + 1);
    // Nothing is decided until it is known whether an extension drew another owner value.
    return isLeftOut && invocation.f !== "extend";
  }

  #ends(event: LockCompletion, { invocation, isLeftOut }: Open): boolean {
    if (event.f === "acquire") return this.#endsAcquire(event, invocation);
    if (invocation.f !== "release" && invocation.f !== "extend") return isLeftOut;
    const { owner } = invocation.value;
    if (isLeftOut) this.#use(owner, event);
    else this.#follow(owner, event.index);
    return isLeftOut;
  }

  /** A release or an extension of an owner value that is left out. */
  #use(owner: string, event: LockCompletion): void {
    const leftOut = this.#leftOut.get(owner);
    if (leftOut === undefined) return;
    leftOut.open -= 1;
    const stated = statedIn(event);
    if (event.f === "release" && stated.released === true) leftOut.entries -= 1;
    if (event.f === "extend" && event.type !== "fail" && stated.owner !== owner) this.#followed.giveUp(SHARED);
    if (leftOut.entries > 0 || leftOut.open > 0) return;
    this.#leftOut.delete(owner);
    this.#remember(this.#over, owner, event.index);
  }

  #endsAcquire(event: LockCompletion, invocation: InvocationEvent): boolean {
    const { owner } = statedIn(event);
    if (owner === undefined) return false;
    const older = Math.max(this.#since, this.#recent.get(owner) ?? -1) >= invocation.index;
    const known = this.#leftOut.get(owner);
    const isUnordered = event.type === "info";
    if (known === undefined) {
      if ((this.#over.get(owner) ?? -1) > invocation.index) this.#followed.giveUp(SHARED);
      if (!isUnordered || older || this.#using.has(owner) || this.#followed.mayHold(owner)) {
        this.#recall(owner, event.index);
        return false;
      }
    } else if (older) this.#followed.giveUp(SHARED);
    if (known !== undefined) known.entries += 1;
    else this.#leftOut.set(owner, { entries: 1, open: 0 });
    if (this.#leftOut.size > MOST_REMEMBERED) this.#followed.giveUp(TOO_MANY);
    return true;
  }

  /** A release or an extension that is followed is over. */
  #follow(owner: string, index: number): void {
    const using = (this.#using.get(owner) ?? 1) - 1;
    if (using === 0) this.#using.delete(owner);
    else this.#using.set(owner, using);
    this.#recall(owner, index);
  }

  #recall(owner: string, index: number): void {
    this.#remember(this.#recent, owner, index);
    if (this.#recent.size <= MOST_REMEMBERED) return;
    this.#recent.clear();
    this.#since = index;
  }

  #remember(among: OldestFirst<string, number>, owner: string, index: number): void {
    among.delete(owner);
    if (this.#open.size > 0) among.set(owner, index);
    if (this.#over.size > MOST_REMEMBERED) this.#followed.giveUp(TOO_MANY);
  }

  /** Forgets what is older than everything under way. */
  #prune(): void {
    const oldest = this.#open.oldest?.[1].invocation.index ?? Infinity;
    for (const among of [this.#recent, this.#over]) {
      for (let first = among.oldest; first !== undefined && first[1] < oldest; first = among.oldest)
        among.delete(first[0]);
    }
  }
}
