import type { LockOperation } from "./lock-models.ts";

/** Required operations that are known and not placed yet, as far as they may take effect before they are completed. */
export class PendingOperations {
  /** Releases and extensions, by owner. */
  readonly #changes = new Map<string, LockOperation[]>();
  /** Acquires whose hold may be over before their completion. */
  readonly #floating = new Set<LockOperation>();
  /** The other acquires, as far as nothing shows that their hold outlasted them. */
  readonly #steady = new Set<LockOperation>();
  /** Of each owner the last of its acquires, until it changes its hold. */
  readonly #last = new Map<string, LockOperation>();
  /** How many of the releases and extensions refer to no known grant. */
  #strangers = 0;

  /** Acquires whose hold may be over before their completion. */
  get floating(): Iterable<LockOperation> {
    return this.#floating;
  }

  /** Takes an acquire; `floats` when its hold may be over before its completion. */
  addAcquire(operation: LockOperation, owner: string, floats: boolean): void {
    (floats ? this.#floating : this.#steady).add(operation);
    this.#last.set(owner, operation);
  }

  /** A release or an extension by this owner may take effect at any time: it may end holds of acquires that came before it. */
  loosen(owner: string): void {
    for (const acquire of this.#steady) {
      if (acquire.owner !== owner) continue;
      this.#steady.delete(acquire);
      this.#floating.add(acquire);
    }
  }

  /** Takes a release or an extension. What an owner does to its hold shows that the hold outlasted its acquire. */
  addChange(operation: LockOperation, owner: string): void {
    const acquire = this.#last.get(owner);
    if (acquire !== undefined) {
      this.#last.delete(owner);
      this.#floating.delete(acquire);
      this.#steady.delete(acquire);
    }
    if (operation.stranger) this.#strangers += 1;
    const changes = this.#changes.get(owner);
    if (changes === undefined) this.#changes.set(owner, [operation]);
    else changes.push(operation);
  }

  /** Forgets an operation that is placed. */
  remove(operation: LockOperation): void {
    const { owner } = operation;
    if (owner === undefined) return;
    this.#floating.delete(operation);
    this.#steady.delete(operation);
    if (this.#last.get(owner) === operation) this.#last.delete(owner);
    const changes = this.#changes.get(owner);
    if (changes?.includes(operation) !== true) return;
    if (operation.stranger) this.#strangers -= 1;
    const rest = changes.filter((other) => other !== operation);
    if (rest.length === 0) this.#changes.delete(owner);
    else this.#changes.set(owner, rest);
  }

  /** Releases and extensions by this owner. */
  changesBy(owner: string): readonly LockOperation[] {
    return this.#changes.get(owner) ?? [];
  }

  /** Releases and extensions that refer to no known grant. */
  changesByStrangers(): readonly LockOperation[] {
    if (this.#strangers === 0) return [];
    return [...this.#changes.values()].flat().filter(({ stranger }) => stranger);
  }
}
