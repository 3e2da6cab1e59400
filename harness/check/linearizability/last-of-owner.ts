import { OldestFirst } from "../../history/oldest-first.ts";
import type { LockOperation } from "./lock-models.ts";

/** By owner, the last required operation that is not placed yet. */
export class LastOfOwner {
  readonly #last = new OldestFirst<string, LockOperation>();

  has(owner: string): boolean {
    return this.#last.has(owner);
  }

  /** Takes the next operation, in the order of completions. Returns whether an earlier one of its owner was still under way. */
  isOverlappedBy(operation: LockOperation): boolean {
    if (operation.owner === undefined) return false;
    // No earlier one was completed later than the last.
    const last = this.#last.get(operation.owner);
    this.#last.set(operation.owner, operation);
    return last !== undefined && last.completed > operation.invoked;
  }

  /** Forgets an operation that is placed. */
  forget(operation: LockOperation): void {
    const { owner } = operation;
    if (owner !== undefined && this.#last.get(owner) === operation) this.#last.delete(owner);
  }

  clear(): void {
    this.#last.clear();
  }
}
