import { ownerName } from "../history/owner-value.ts";

/** How often a client was granted the lock under an owner value, and how many entries it has not released. */
interface Entries {
  readonly granted: number;
  readonly left: number;
}

/**
 * Which owner values a client was told that it has released, as often as it was granted the lock under them. What it asks under
 * such a value comes after the release: it says so in the history.
 */
export class ReleasedOwners {
  readonly #entries = new Map<string, Entries>();

  /** A client was granted the lock. */
  grant(key: string, owner: string): void {
    const { granted, left } = this.#of(key, owner);
    this.#entries.set(ownerName(key, owner), { granted: granted + 1, left: left + 1 });
  }

  /** How often it was granted the lock so far. */
  granted(key: string, owner: string): number {
    return this.#of(key, owner).granted;
  }

  /**
   * A release was answered.
   *
   * @param found whether it found the lock, and so ended one entry; otherwise nothing is left of what was granted before it
   * @param grantedBefore how often the client had been granted the lock when it asked for that release
   */
  release(key: string, owner: string, { found, grantedBefore }: { found: boolean; grantedBefore: number }): void {
    const { granted, left } = this.#of(key, owner);
    const remaining = found ? Math.max(0, left - 1) : Math.min(left, granted - grantedBefore);
    this.#entries.set(ownerName(key, owner), { granted, left: remaining });
  }

  /** What the invocation of a release or an extension states of this. */
  statement(key: string, owner: string): { readonly again?: true } {
    return this.#entries.get(ownerName(key, owner))?.left === 0 ? { again: true } : {};
  }

  #of(key: string, owner: string): Entries {
    return this.#entries.get(ownerName(key, owner)) ?? { granted: 0, left: 0 };
  }
}
