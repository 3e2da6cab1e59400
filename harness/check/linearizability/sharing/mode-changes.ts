import { InvocationQueue } from "../invocation-queue.ts";
import type { LockOperation } from "../lock-models.ts";

/** How many are kept before those are dropped that nothing needs any more. */
const KEPT = 64;

/** The acquires of a read-write lock that have begun, and may take effect after operations that are not placed yet have begun. */
export class ModeChanges {
  /** What has begun and may not be placed yet. */
  readonly #open = new InvocationQueue();
  #acquires: LockOperation[] = [];
  #most = KEPT;

  /** To be called in the order of the invocations, with what was completed after all that is placed. */
  begin(operation: LockOperation): void {
    const { required, kind, share } = operation;
    if (!required) return;
    this.#open.add(operation);
    if (kind === "acquire" && share?.kind !== "counted") this.#acquires.push(operation);
  }

  /** What was completed until this event is placed, and all that was invoked until then has begun. */
  place(completed: number): void {
    if (this.#acquires.length <= this.#most) return;
    for (let { first } = this.#open; first !== undefined && first.completed <= completed; { first } = this.#open)
      this.#open.removeFirst();
    const needed = Math.min(this.#open.first?.invoked ?? Infinity, completed);
    this.#acquires = this.#acquires.filter((acquire) => acquire.completed > needed);
    this.#most = Math.max(KEPT, 2 * this.#acquires.length);
  }

  /** The acquires that have begun, and were completed after this operation had. */
  beside({ invoked }: LockOperation): readonly LockOperation[] {
    return this.#acquires.filter(({ completed }) => completed > invoked);
  }
}
