/**
 * A map that finds its oldest entry at no cost. A `Map` keeps the order of insertion too, but skips the gaps of deleted
 * entries each time it is asked for its first.
 */
export class OldestFirst<K, V> {
  readonly #entries = new Map<K, V>();
  /** In the order of insertion; a key that was since deleted, or set anew, stays here until it comes to the front. */
  #order: { readonly key: K; readonly value: V }[] = [];
  #front = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** The entry that was set longest ago. */
  get oldest(): readonly [key: K, value: V] | undefined {
    for (let first = this.#order[this.#front]; first !== undefined; first = this.#order[this.#front]) {
      if (this.#entries.get(first.key) === first.value) return [first.key, first.value];
      this.#front += 1;
      if (this.#front > 1024 && this.#front * 2 > this.#order.length) {
        this.#order = this.#order.slice(this.#front);
        this.#front = 0;
      }
    }
    this.#order = [];
    this.#front = 0;
    return undefined;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  values(): Iterable<V> {
    return this.#entries.values();
  }

  /** Sets an entry, as the youngest. No other entry may have the same value. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#order.push({ key, value });
    if (this.#order.length - this.#front > 2 * this.#entries.size + 64) this.#compact();
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#order = [];
    this.#front = 0;
  }

  #compact(): void {
    this.#order = this.#order.slice(this.#front).filter(({ key, value }) => this.#entries.get(key) === value);
    this.#front = 0;
  }
}
