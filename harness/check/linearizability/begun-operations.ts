import { InvocationQueue } from "./invocation-queue.ts";
import type { LockOperation } from "./lock-models.ts";

/**
 * Known operations, of which only those matter that were invoked before the completion that was reached: while one operation
 * waits for its outcome, a hundred thousand later ones may become known.
 */
export class BegunOperations {
  readonly #begun = new Set<LockOperation>();
  readonly #later = new Set<LockOperation>();
  readonly #queue = new InvocationQueue();

  /** It matters from the next `reach` on, or a later one. */
  add(operation: LockOperation): void {
    this.#later.add(operation);
    this.#queue.add(operation);
  }

  delete(operation: LockOperation): void {
    if (!this.#begun.delete(operation)) this.#later.delete(operation);
  }

  /** From now on those matter that were invoked before event `index`. */
  reach(index: number): void {
    for (const operation of this.#queue.before(index)) {
      // It may have been deleted meanwhile.
      if (this.#later.delete(operation)) this.#begun.add(operation);
    }
  }

  /** Those that matter, in the order in which they began to. */
  [Symbol.iterator](): Iterator<LockOperation> {
    return this.#begun.values();
  }
}
