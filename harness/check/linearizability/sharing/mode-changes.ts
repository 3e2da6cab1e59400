import type { LockOperation } from "../lock-models.ts";

/** How many are kept before those are dropped that nothing needs any more. */
const KEPT = 64;

/** The acquires of a read-write lock that may take effect after operations that are not placed yet have begun. */
export class ModeChanges {
  /** Announced and not placed. */
  readonly #pending = new Set<LockOperation>();
  #acquires: LockOperation[] = [];
  #most = KEPT;

  announce(operation: LockOperation): void {
    const { required, kind, share } = operation;
    if (!required) return;
    this.#pending.add(operation);
    if (kind === "acquire" && share?.kind !== "counted") this.#acquires.push(operation);
    if (this.#acquires.length > this.#most) this.#drop();
  }

  place(operation: LockOperation): void {
    this.#pending.delete(operation);
  }

  /** The known acquires that were completed after this operation had begun. */
  notBefore({ invoked }: LockOperation): readonly LockOperation[] {
    return this.#acquires.filter(({ completed }) => completed > invoked);
  }

  /** What is announced later begins after the last completion that was placed. */
  #drop(): void {
    let first = Infinity;
    for (const { invoked } of this.#pending) first = Math.min(first, invoked);
    this.#acquires = this.#acquires.filter((acquire) => this.#pending.has(acquire) || acquire.completed > first);
    this.#most = Math.max(KEPT, 2 * this.#acquires.length);
  }
}
