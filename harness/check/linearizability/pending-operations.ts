import type { LockOperation } from "./lock-models.ts";

/** Required operations that are known, not placed yet, and may take effect before they are completed. */
export class PendingOperations {
  /** Releases and extensions, by owner. */
  readonly #changes = new Map<string, Set<LockOperation>>();
  /** Acquires whose hold may be over before their completion. */
  readonly #floating = new Set<LockOperation>();
  /** The other acquires, by owner, while nothing shows that their hold outlasted them. */
  readonly #steady = new Map<string, Set<LockOperation>>();
  /** By owner, the last acquire, until the owner changes its hold. */
  readonly #last = new Map<string, LockOperation>();
  /** The releases and extensions that refer to no known grant. */
  readonly #strangers = new Set<LockOperation>();

  /** Acquires whose hold may be over before their completion. */
  get floating(): Iterable<LockOperation> {
    return this.#floating;
  }

  /** Adds an acquire; `floats` if its hold may be over before its completion. */
  addAcquire(operation: LockOperation, owner: string, floats: boolean): void {
    if (floats) this.#floating.add(operation);
    else include(this.#steady, owner, operation);
  }

  /** A release or an extension by this owner may take effect at any time: it may end holds of acquires that came before it. */
  loosen(owner: string): void {
    for (const acquire of this.#steady.get(owner) ?? []) this.#floating.add(acquire);
    this.#steady.delete(owner);
  }

  /** Adds a release or an extension. */
  addChange(operation: LockOperation, owner: string): void {
    if (operation.stranger) this.#strangers.add(operation);
    include(this.#changes, owner, operation);
  }

  /**
   * Notes that no operation of its owner overlaps this one, in the order of completions. An operation of an owner on
   * its hold then shows that the hold outlasted its acquire, unless it may have been on a hold that nobody was told of.
   */
  confirm(operation: LockOperation, owner: string): void {
    if (operation.kind === "acquire") this.#last.set(owner, operation);
    if (operation.kind !== "release" && operation.kind !== "extend") return;
    const acquire = this.#last.get(owner);
    if (acquire === undefined || operation.stranger) return;
    this.#last.delete(owner);
    this.#floating.delete(acquire);
    exclude(this.#steady, owner, acquire);
  }

  /** Forgets an operation that is placed. */
  remove(operation: LockOperation): void {
    const { owner } = operation;
    if (owner === undefined) return;
    this.#floating.delete(operation);
    exclude(this.#steady, owner, operation);
    if (this.#last.get(owner) === operation) this.#last.delete(owner);
    this.#strangers.delete(operation);
    exclude(this.#changes, owner, operation);
  }

  /** Releases and extensions by this owner, in the order of their completions. */
  changesBy(owner: string): Iterable<LockOperation> {
    return this.#changes.get(owner) ?? [];
  }

  /** Releases and extensions that refer to no known grant, in the order of their completions. */
  changesByStrangers(): ReadonlySet<LockOperation> {
    return this.#strangers;
  }
}

function include(sets: Map<string, Set<LockOperation>>, owner: string, operation: LockOperation): void {
  const known = sets.get(owner);
  if (known === undefined) sets.set(owner, new Set([operation]));
  else known.add(operation);
}

function exclude(sets: Map<string, Set<LockOperation>>, owner: string, operation: LockOperation): void {
  const known = sets.get(owner);
  if (known?.delete(operation) === true && known.size === 0) sets.delete(owner);
}
