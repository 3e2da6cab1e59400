import { OldestFirst } from "../../history/oldest-first.ts";
import { BegunOperations } from "./begun-operations.ts";
import type { LockOperation } from "./lock-models.ts";

const NO_OPERATIONS: ReadonlySet<LockOperation> = new Set();

/** The pending operations of one owner. Sets are made when they are needed: there may be thousands of keys. */
interface OfOwner {
  /** Releases and extensions. */
  changes: Set<LockOperation> | undefined;
  /** Acquires that do not float, while nothing shows that their hold outlasted them. */
  steady: Set<LockOperation> | undefined;
  /** The last acquire, until the owner changes its hold. */
  last: LockOperation | undefined;
}

/** Required operations that are known, not placed yet, and may take effect before they are completed. */
export class PendingOperations {
  readonly #owners = new OldestFirst<string, OfOwner>();
  /** Acquires whose hold may be over before their completion. */
  #floating: BegunOperations | undefined;
  /** The releases and extensions that refer to no known grant. */
  #strangers: BegunOperations | undefined;

  /** From now on operations may take effect that were invoked before event `index`. */
  reach(index: number): void {
    this.#floating?.reach(index);
    this.#strangers?.reach(index);
  }

  /** Acquires that have begun, whose hold may be over before their completion. */
  get floating(): Iterable<LockOperation> {
    return this.#floating ?? NO_OPERATIONS;
  }

  /** Adds an acquire; `floats` if its hold may be over before its completion. */
  addAcquire(operation: LockOperation, owner: string, floats: boolean): void {
    if (floats) this.#floats(operation);
    else (this.#of(owner).steady ??= new Set()).add(operation);
  }

  /** A release or an extension by this owner may take effect at any time: it may end holds of acquires that came before it. */
  loosen(owner: string): void {
    const own = this.#owners.get(owner);
    if (own?.steady === undefined) return;
    for (const acquire of own.steady) this.#floats(acquire);
    own.steady = undefined;
    this.#dropIdle(owner, own);
  }

  /** Adds a release or an extension. */
  addChange(operation: LockOperation, owner: string): void {
    if (operation.stranger) (this.#strangers ??= new BegunOperations()).add(operation);
    (this.#of(owner).changes ??= new Set()).add(operation);
  }

  /**
   * Notes that no operation of its owner overlaps this one, in the order of completions. An operation of an owner on
   * its hold then shows that the hold outlasted its acquire, unless it may have been on a hold that nobody was told of.
   */
  confirm(operation: LockOperation, owner: string): void {
    if (operation.kind === "acquire") this.#of(owner).last = operation;
    if (operation.kind !== "release" && operation.kind !== "extend") return;
    const own = this.#owners.get(owner);
    const acquire = own?.last;
    if (own === undefined || acquire === undefined || operation.stranger) return;
    own.last = undefined;
    this.#floating?.delete(acquire);
    own.steady?.delete(acquire);
    this.#dropIdle(owner, own);
  }

  /** Forgets an operation that is placed. */
  remove(operation: LockOperation): void {
    const { owner } = operation;
    if (owner === undefined) return;
    this.#floating?.delete(operation);
    this.#strangers?.delete(operation);
    const own = this.#owners.get(owner);
    if (own === undefined) return;
    own.steady?.delete(operation);
    own.changes?.delete(operation);
    if (own.last === operation) own.last = undefined;
    this.#dropIdle(owner, own);
  }

  /** Releases and extensions by this owner, in the order of their completions. */
  changesBy(owner: string): Iterable<LockOperation> {
    return this.#owners.get(owner)?.changes ?? NO_OPERATIONS;
  }

  /** Releases and extensions that have begun and refer to no known grant. */
  changesByStrangers(): Iterable<LockOperation> {
    return this.#strangers ?? NO_OPERATIONS;
  }

  #floats(acquire: LockOperation): void {
    (this.#floating ??= new BegunOperations()).add(acquire);
  }

  #of(owner: string): OfOwner {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const fresh: OfOwner = { changes: undefined, steady: undefined, last: undefined };
    this.#owners.set(owner, fresh);
    return fresh;
  }

  #dropIdle(owner: string, { changes, steady, last }: OfOwner): void {
    if (last === undefined && (changes?.size ?? 0) === 0 && (steady?.size ?? 0) === 0) this.#owners.delete(owner);
  }
}
