import { setImmediate } from "node:timers/promises";

/** Does work that comes in pieces all at once. */
export function inOnePiece<T>(work: Iterator<undefined, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** How long work runs before it yields to the rest of the process, above all to signals. */
const TURN_MS = 50;

/** Yields to the rest of the process from time to time during long work. */
export class Turns {
  #since = performance.now();

  /** Whether it is time to yield. */
  get isOver(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Yields to the rest of the process. */
  async pass(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }

  /** Does work in pieces and yields between them. */
  async take<T>(work: Iterator<undefined, T>): Promise<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
      if (this.isOver) await this.pass();
    }
  }
}
