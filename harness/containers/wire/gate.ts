/**
 * Passes things on one by one, in order; `pass` may make one wait, and then all that follow wait behind it. Once it is
 * shut, nothing more passes.
 */
export class Gate<T> {
  readonly #pass: (thing: T, isShut: () => boolean) => Promise<void> | undefined;
  readonly #queue: T[] = [];
  #isBusy = false;
  #isShut = false;
  #whenEmpty: (() => void) | undefined;

  constructor(pass: (thing: T, isShut: () => boolean) => Promise<void> | undefined) {
    this.#pass = pass;
  }

  /** Whether something waits. */
  get holds(): boolean {
    return this.#isBusy;
  }

  push(things: readonly T[]): void {
    this.#queue.push(...things);
    if (!this.#isBusy) void this.#work();
  }

  /** Loses what waits, and all that follows. */
  shut(): void {
    this.#isShut = true;
    this.#queue.length = 0;
  }

  /** Calls `listener` when nothing waits any more, at once if nothing does. */
  whenEmpty(listener: () => void): void {
    if (!this.#isBusy && this.#queue.length === 0) listener();
    else this.#whenEmpty = listener;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#queue.shift(); next !== undefined && !this.#isShut; next = this.#queue.shift()) {
      const waiting = this.#pass(next, () => this.#isShut);
      if (waiting !== undefined) await waiting;
    }
    this.#isBusy = false;
    this.#whenEmpty?.();
  }
}
