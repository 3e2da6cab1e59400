import type { Hold } from "./holds.ts";

/**
 * Holds by a key. Nearly always there is one hold to a key, and there may be hundreds of thousands of keys: only a key
 * of several holds has a set.
 */
export class HoldIndex<K> {
  readonly #holds = new Map<K, Hold | Set<Hold>>();

  /** How many holds have this key. */
  count(key: K): number {
    const known = this.#holds.get(key);
    return known instanceof Set ? known.size : known === undefined ? 0 : 1;
  }

  has(key: K, hold: Hold): boolean {
    const known = this.#holds.get(key);
    return known instanceof Set ? known.has(hold) : known === hold;
  }

  /** In the order in which they were added. */
  of(key: K): Iterable<Hold> {
    const known = this.#holds.get(key);
    return known instanceof Set ? known : known === undefined ? [] : [known];
  }

  add(key: K, hold: Hold): void {
    const known = this.#holds.get(key);
    if (known === undefined) this.#holds.set(key, hold);
    else if (known instanceof Set) known.add(hold);
    else if (known !== hold) this.#holds.set(key, new Set([known, hold]));
  }

  delete(key: K, hold: Hold): void {
    const known = this.#holds.get(key);
    if (known === hold) this.#holds.delete(key);
    if (!(known instanceof Set)) return;
    known.delete(hold);
    if (known.size === 0) this.#holds.delete(key);
  }
}
