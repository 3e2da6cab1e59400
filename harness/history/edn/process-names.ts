/** More clients than these are numbered by the program that records them. */
const MOST_NAMES = 1000;

/**
 * Numbers for processes that have names, such as the hosts of clients. A process whose operation had an unknown outcome goes on under a
 * number that is larger by the same for all.
 */
export class ProcessNames {
  readonly #numbers = new Map<string, number>();

  /** The number of this process; undefined if there are too many. */
  numberOf(name: string): number | undefined {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.#numbers.size >= MOST_NAMES) return undefined;
    const fresh = this.#numbers.size;
    this.#numbers.set(name, fresh);
    return fresh;
  }

  get hasAny(): boolean {
    return this.#numbers.size > 0;
  }

  /** An operation of this process had an unknown outcome. */
  retire(name: string): void {
    const known = this.#numbers.get(name);
    if (known !== undefined) this.#numbers.set(name, known + MOST_NAMES);
  }
}
