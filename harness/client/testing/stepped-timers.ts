import type { Timers } from "../fake-timers.ts";

/** Timers that are over when a test says so. */
export class SteppedTimers implements Timers {
  readonly #actions = new Map<() => void, number>();
  #nowMs = 0;

  get count(): number {
    return this.#actions.size;
  }

  after(ms: number, action: () => void): () => void {
    this.#actions.set(action, this.#nowMs + ms);
    return () => this.#actions.delete(action);
  }

  /** Lets time pass, and what follows from it happen. */
  async advance(ms: number): Promise<void> {
    // A driver is called once those before it have answered.
    await new Promise((resolve) => setImmediate(resolve));
    this.#nowMs += ms;
    for (const [action, atMs] of this.#actions) {
      if (atMs > this.#nowMs) continue;
      this.#actions.delete(action);
      action();
    }
  }

  refuseFaking(): void {}
}
