import { InvocationQueue } from "./invocation-queue.ts";
import { expirableFrom, type LockOperation } from "./lock-models.ts";

/**
 * By owner, the acquires that took longer than their lease: the owner's next operation shows whether it still held. There is no
 * such acquire of most keys.
 */
export class UndeterminedAcquires {
  #byOwner: Map<string, LockOperation> | undefined;
  /** The same, and some that have been determined since. */
  #oldest: InvocationQueue | undefined;

  /** Takes the next operation that is known. */
  add(operation: LockOperation): void {
    const { owner, required, kind } = operation;
    if (owner === undefined) return;
    // It is unknown when it takes effect, so nothing more can be learnt.
    if (!required) this.#byOwner?.delete(owner);
    else if (kind === "acquire" && expirableFrom(operation, operation.invokedTime) <= operation.completedTime) {
      (this.#byOwner ??= new Map()).set(owner, operation);
      (this.#oldest ??= new InvocationQueue()).add(operation);
    }
  }

  /** No operation of its owner came between the one before and this one. */
  confirm({ owner = "", completed }: LockOperation): void {
    const before = this.#byOwner?.get(owner);
    if (before !== undefined && before.completed < completed) this.#byOwner?.delete(owner);
  }

  /** The event at which the first of them was invoked; infinite if there is none. */
  get since(): number {
    for (let first = this.#oldest?.first; first !== undefined; first = this.#oldest?.first) {
      if (this.#byOwner?.get(first.owner ?? "") === first) return first.invoked;
      this.#oldest?.removeFirst();
    }
    return Infinity;
  }

  clear(): void {
    this.#byOwner = undefined;
  }
}
