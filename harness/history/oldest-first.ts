interface Entry<K, V> {
  readonly key: K;
  value: V;
  /** The entries that were set before and after it. None of an entry that is no longer in the map: it would keep them alive. */
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/** Of so few entries none is looked up in a `Map`: that takes hundreds of bytes, and there may be thousands of keys. */
const FEW = 16;

/**
 * A map that finds its oldest entry at no cost. A `Map` keeps the order of insertion too, but skips the gaps of deleted
 * entries each time it is asked for its first: with a capacity of 50,000 entries, thousands of gaps for each insertion.
 * It must not change while somebody goes through its values or entries.
 */
export class OldestFirst<K, V> {
  /** Undefined as long as there were few. */
  #entries: Map<K, Entry<K, V>> | undefined;
  #size = 0;
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;
  readonly #most: number;

  /** @param most how many entries it keeps: with one more, the oldest goes */
  constructor(most = Infinity) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** The entry that was set longest ago. */
  get oldest(): readonly [key: K, value: V] | undefined {
    return this.#oldest === undefined ? undefined : [this.#oldest.key, this.#oldest.value];
  }

  has(key: K): boolean {
    return this.#find(key) !== undefined;
  }

  get(key: K): V | undefined {
    return this.#find(key)?.value;
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
    const known = this.#find(key);
    if (known === undefined) {
      const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
      this.#append(entry);
      this.#size += 1;
      this.#entries?.set(key, entry);
      if (this.#size > FEW) this.#entries ??= this.#indexed();
      if (this.#size > this.#most) this.delete(this.#oldest!.key);
      return;
    }
    known.value = value;
    if (known === this.#newest) return;
    this.#takeOut(known);
    this.#append(known);
  }

  /** Changes the value of an entry, which keeps its age. Without such an entry nothing changes. */
  replace(key: K, value: V): void {
    const entry = this.#find(key);
    if (entry !== undefined) entry.value = value;
  }

  delete(key: K): boolean {
    const entry = this.#find(key);
    if (entry === undefined) return false;
    this.#takeOut(entry);
    this.#size -= 1;
    this.#entries?.delete(key);
    return true;
  }

  clear(): void {
    this.#entries = undefined;
    this.#size = 0;
    this.#oldest = undefined;
    this.#newest = undefined;
  }

  #find(key: K): Entry<K, V> | undefined {
    if (this.#entries !== undefined) return this.#entries.get(key);
    let entry = this.#newest;
    while (entry !== undefined && entry.key !== key) entry = entry.older;
    return entry;
  }

  #indexed(): Map<K, Entry<K, V>> {
    const entries = new Map<K, Entry<K, V>>();
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) entries.set(entry.key, entry);
    return entries;
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
