/**
 * Which owner values a client was told that it has released, as often as it was granted the lock under them. What it asks under
 * such a value comes after the release: it says so in the history.
 */
export class ReleasedOwners {
  /** How many entries are left. */
  readonly #entries = new Map<string, number>();

  /** A client was granted the lock. */
  grant(key: string, owner: string): void {
    this.#entries.set(nameOf(key, owner), this.#left(key, owner) + 1);
  }

  /** A release was answered. `found`: whether it found the lock, and so ended one entry; otherwise nothing is left. */
  release(key: string, owner: string, found: boolean): void {
    this.#entries.set(nameOf(key, owner), found ? Math.max(0, this.#left(key, owner) - 1) : 0);
  }

  /** What the invocation of a release or an extension states of this. */
  statement(key: string, owner: string): { readonly again?: true } {
    return this.#entries.get(nameOf(key, owner)) === 0 ? { again: true } : {};
  }

  #left(key: string, owner: string): number {
    return this.#entries.get(nameOf(key, owner)) ?? 0;
  }
}

function nameOf(key: string, owner: string): string {
  return JSON.stringify([key, owner]);
}
