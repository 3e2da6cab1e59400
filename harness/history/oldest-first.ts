import { isDroppable } from "./dropped-front.ts";

interface Entry<K, V> {
  readonly key: K;
  value: V;
  /** Whether it was since deleted, or set again: asking the map would cost more. */
  isOver: boolean;
}

/**
 * A map that finds its oldest entry at no cost. A `Map` keeps the order of insertion too, but skips the gaps of deleted
 * entries each time it is asked for its first: with a capacity of 50,000 entries, thousands of gaps for each insertion.
 */
export class OldestFirst<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  /** In the order of insertion; an entry that was since deleted, or set again, stays here until it comes to the front. */
  #order: Entry<K, V>[] = [];
  #front = 0;
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
    for (let first = this.#order[this.#front]; first !== undefined; first = this.#order[this.#front]) {
      if (!first.isOver) return [first.key, first.value];
      this.#front += 1;
      if (isDroppable(this.#front, this.#order.length)) {
        this.#order = this.#order.slice(this.#front);
        this.#front = 0;
      }
    }
    this.#order = [];
    this.#front = 0;
    return undefined;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  *values(): Iterable<V> {
    for (const { value } of this.#inOrder()) yield value;
  }

  *entries(): Iterable<readonly [key: K, value: V]> {
    for (const { key, value } of this.#inOrder()) yield [key, value];
  }

  *#inOrder(): Iterable<Entry<K, V>> {
    for (const entry of this.#order) if (!entry.isOver) yield entry;
  }

  /** Sets an entry, as the youngest. */
  set(key: K, value: V): void {
    const entry = { key, value, isOver: false };
    const before = this.#entries.get(key);
    if (before !== undefined) before.isOver = true;
    // Where it is set again it keeps its place in the map, which has no new gap then: the order is kept beside it.
    this.#entries.set(key, entry);
    this.#order.push(entry);
    if (this.#entries.size > this.#most) this.delete(this.oldest![0]);
    if (this.#order.length - this.#front > 2 * this.#entries.size + 64) this.#compact();
  }

  /** Changes the value of an entry, which keeps its age. Without such an entry nothing changes. */
  replace(key: K, value: V): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.value = value;
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.isOver = true;
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#order = [];
    this.#front = 0;
  }

  #compact(): void {
    this.#order = this.#order.slice(this.#front).filter((entry) => !entry.isOver);
    this.#front = 0;
  }
}
