interface Entry<K, V> {
  readonly key: K;
  value: V;
  /** The entries that were set before and after it. None of an entry that is no longer in the map: it would keep them alive. */
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/**
 * A map that finds its oldest entry at no cost. A `Map` keeps the order of insertion too, but skips the gaps of deleted
 * entries each time it is asked for its first: with a capacity of 50,000 entries, thousands of gaps for each insertion.
 * It must not change while somebody goes through its values or entries.
 */
export class OldestFirst<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;
  readonly #most: number;

  /** @param most how many entries it keeps: with one more, the oldest goes */
  constructor(most = Infinity) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry that was set longest ago. */
  get oldest(): readonly [key: K, value: V] | undefined {
    return this.#oldest === undefined ? undefined : [this.#oldest.key, this.#oldest.value];
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  *values(): Iterable<V> {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) yield entry.value;
  }

  *entries(): Iterable<readonly [key: K, value: V]> {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) yield [entry.key, entry.value];
  }

  /** The values, the youngest first. */
  *latest(): Iterable<V> {
    for (let entry = this.#newest; entry !== undefined; entry = entry.older) yield entry.value;
  }

  /** Sets an entry, as the youngest. */
  set(key: K, value: V): void {
    const known = this.#entries.get(key);
    if (known === undefined) {
      const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
      this.#entries.set(key, entry);
      this.#append(entry);
      if (this.#entries.size > this.#most) this.delete(this.#oldest!.key);
      return;
    }
    known.value = value;
    if (known === this.#newest) return;
    this.#takeOut(known);
    this.#append(known);
  }

  /** Changes the value of an entry, which keeps its age. Without such an entry nothing changes. */
  replace(key: K, value: V): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.value = value;
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#takeOut(entry);
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #takeOut(entry: Entry<K, V>): void {
    const { older, newer } = entry;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    entry.older = undefined;
    entry.newer = undefined;
  }
}
