import { LuaError, type Value } from "./value.ts";

/**
 * A table that orders its entries exactly as Lua 5.1 does: `next`, `#` of a table with holes and everything that
 * depends on them (such as cjson.encode) give the real server's results. It follows the published design of Lua's
 * tables: an array part, and a hash part with Brent's variation of chaining, both resized together when the hash part
 * is full. Look-ups use a separate map, because hashing texts each time would be slow here.
 */
export class LuaTable {
  metatable: LuaTable | undefined;
  /** Redis protects its globals and libraries. */
  readonly = false;
  #array: Value[] = [];
  #keys: Value[] = [];
  #values: Value[] = [];
  /** Index of the next node in the chain, -1 at its end. */
  #next: number[] = [];
  /** Free nodes are below this index. */
  #lastFree = 0;
  #index: Map<Value, number> | undefined;
  /** The pending work that creates its entries. */
  #fill: ((table: LuaTable) => void) | undefined;

  /**
   * @param arraySize and
   * @param hashSize sizes requested beforehand, as a constructor does
   */
  constructor(arraySize = 0, hashSize = 0) {
    for (let index = 0; index < arraySize; index += 1) this.#array.push(undefined);
    if (hashSize > 0) this.#makeNodes(hashSize);
  }

  static of(...values: readonly Value[]): LuaTable {
    return LuaTable.list(values);
  }

  /**
   * A list, laid out as if its values had been added one by one: the size of the array part is the next power of two.
   */
  static list(values: readonly Value[]): LuaTable {
    const table = new LuaTable();
    if (values.includes(undefined)) {
      values.forEach((value, index) => table.set(index + 1, value));
      return table;
    }
    const array = [...values];
    let size = values.length === 0 ? 0 : 1;
    while (size < values.length) size *= 2;
    while (array.length < size) array.push(undefined);
    table.#array = array;
    return table;
  }

  static from(entries: Readonly<Record<string, Value>>): LuaTable {
    const table = new LuaTable();
    table.setAll(entries);
    return table;
  }

  /** A table that gets its entries when they are first needed: most scripts never use most libraries. */
  static filledLater(fill: (table: LuaTable) => void): LuaTable {
    const table = new LuaTable();
    table.#fill = fill;
    return table;
  }

  /** Its own protection applies to scripts only. */
  #load(): void {
    const { readonly } = this;
    const fill = this.#fill;
    this.#fill = undefined;
    this.readonly = false;
    fill?.(this);
    this.readonly = readonly;
  }

  get(key: Value): Value {
    if (this.#fill !== undefined) this.#load();
    if (typeof key === "number") {
      const value = this.#array[key - 1];
      if (value !== undefined) return value;
    }
    const node = this.#index?.get(key);
    return node === undefined ? undefined : this.#values[node];
  }

  /** Sets without metamethods. @throws LuaError for the keys nil and NaN, and on a protected table */
  set(key: Value, value: Value): void {
    if (this.readonly) throw new LuaError("Attempt to modify a readonly table");
    if (this.#fill !== undefined) this.#load();
    this.#set(key, value);
  }

  #set(key: Value, value: Value): void {
    if (typeof key === "number" && key >= 1 && key <= this.#array.length && Number.isInteger(key)) {
      this.#array[key - 1] = value;
      return;
    }
    const node = this.#index?.get(key);
    if (node !== undefined) this.#values[node] = value;
    else if (key === undefined) throw new LuaError("table index is nil");
    else if (typeof key === "number" && Number.isNaN(key)) throw new LuaError("table index is NaN");
    else this.#insert(Object.is(key, -0) ? 0 : key, value);
  }

  /** Sets these entries in their order. An empty table that gets many takes the layout of an earlier one. */
  setAll(entries: Readonly<Record<string, Value>>): void {
    const names = Object.keys(entries);
    const isNew = this.#keys.length === 0 && this.#array.length === 0 && this.#fill === undefined;
    // A nil leaves its node free, and later entries lie elsewhere.
    if (!isNew || names.length < MANY_ENTRIES || names.some((name) => entries[name] === undefined)) {
      for (const name of names) this.set(name, entries[name]);
      return;
    }
    const signature = names.join("\0");
    const known = layouts.get(signature);
    if (known === undefined) {
      for (const name of names) this.set(name, entries[name]);
      const [keys, next, index] = [[...this.#keys], [...this.#next], new Map(this.#index)];
      layouts.set(signature, { keys, next, lastFree: this.#lastFree, index });
      return;
    }
    this.#keys = [...known.keys];
    this.#values = known.keys.map((key) => (typeof key === "string" ? entries[key] : undefined));
    this.#next = [...known.next];
    this.#lastFree = known.lastFree;
    this.#index = new Map(known.index);
  }

  /** The border that `#` finds. */
  get length(): number {
    if (this.#fill !== undefined) this.#load();
    let above = this.#array.length;
    if (above > 0 && this.#array[above - 1] === undefined) {
      let below = 0;
      while (above - below > 1) {
        const middle = (below + above) >> 1;
        if (this.#array[middle - 1] === undefined) above = middle;
        else below = middle;
      }
      return below;
    }
    return this.#keys.length === 0 ? above : this.#searchBorder(above);
  }

  #searchBorder(start: number): number {
    let below = start;
    let above = start + 1;
    while (this.get(above) !== undefined) {
      below = above;
      above *= 2;
    }
    while (above - below > 1) {
      const middle = Math.floor((below + above) / 2);
      if (this.get(middle) === undefined) above = middle;
      else below = middle;
    }
    return below;
  }

  /** The entry after `key`, the first for nil; undefined at the end. @throws LuaError for a key that is not there */
  next(key: Value): readonly [Value, Value] | undefined {
    let position = this.#positionAfter(key);
    for (; position < this.#array.length; position += 1) {
      const value = this.#array[position];
      if (value !== undefined) return [position + 1, value];
    }
    for (let node = position - this.#array.length; node < this.#values.length; node += 1) {
      const value = this.#values[node];
      if (value !== undefined) return [this.#keys[node], value];
    }
    return undefined;
  }

  /** All entries, in the order of `next`. */
  *entries(): IterableIterator<readonly [Value, Value]> {
    for (let entry = this.next(undefined); entry !== undefined; entry = this.next(entry[0])) yield entry;
  }

  #positionAfter(key: Value): number {
    if (this.#fill !== undefined) this.#load();
    if (key === undefined) return 0;
    if (typeof key === "number" && key >= 1 && key <= this.#array.length && Number.isInteger(key)) return key;
    const node = this.#index?.get(key);
    if (node === undefined) throw new LuaError("invalid key to 'next'");
    return this.#array.length + node + 1;
  }

  #insert(key: Value, value: Value): void {
    if (this.#keys.length === 0) {
      this.#rehash(key);
      this.#set(key, value);
      return;
    }
    let main = this.#mainPosition(key);
    if (this.#values[main] !== undefined) {
      const free = this.#freeNode();
      if (free < 0) {
        this.#rehash(key);
        this.#set(key, value);
        return;
      }
      const other = this.#mainPosition(this.#keys[main]);
      if (other === main) {
        // The new entry goes into the free node, after the one whose place this is.
        this.#next[free] = this.#next[main] ?? -1;
        this.#next[main] = free;
        main = free;
      } else this.#moveAway(main, free, other);
    }
    const before = this.#keys[main];
    if (before !== undefined && this.#index?.get(before) === main) this.#index.delete(before);
    this.#keys[main] = key;
    this.#values[main] = value;
    this.#index?.set(key, main);
  }

  /** Moves a node that is not in its main position to a free one. */
  #moveAway(from: number, to: number, chain: number): void {
    let previous = chain;
    while (this.#next[previous] !== from) previous = this.#next[previous] ?? -1;
    this.#next[previous] = to;
    this.#keys[to] = this.#keys[from];
    this.#values[to] = this.#values[from];
    this.#next[to] = this.#next[from] ?? -1;
    this.#index?.set(this.#keys[to], to);
    this.#next[from] = -1;
    this.#keys[from] = undefined;
    this.#values[from] = undefined;
  }

  #freeNode(): number {
    while (this.#lastFree > 0) {
      this.#lastFree -= 1;
      if (this.#keys[this.#lastFree] === undefined) return this.#lastFree;
    }
    return -1;
  }

  #mainPosition(key: Value): number {
    const size = this.#keys.length;
    switch (typeof key) {
      case "string":
        return hashText(key) & (size - 1);
      case "boolean":
        return (key ? 1 : 0) & (size - 1);
      case "number":
        return key === 0 ? 0 : hashNumber(key) % ((size - 1) | 1);
      default:
        return key === undefined ? 0 : identityOf(key) % ((size - 1) | 1);
    }
  }

  /** Makes room for `extra`, choosing the entries of the array part again. */
  #rehash(extra: Value): void {
    const counts: number[] = [];
    let inArray = 0;
    let total = 1;
    for (const [position, value] of this.#array.entries()) {
      if (value === undefined) continue;
      total += 1;
      inArray += countInteger(position + 1, counts);
    }
    for (const [node, value] of this.#values.entries()) {
      if (value === undefined) continue;
      total += 1;
      inArray += countInteger(this.#keys[node], counts);
    }
    inArray += countInteger(extra, counts);
    const { size, used } = bestArraySize(counts, inArray);
    this.#resize(size, total - used);
  }

  /**
   * Stores the listed values of a constructor after the first `stored`: from the end, in an array that is long enough.
   */
  store(stored: number, values: readonly Value[]): this {
    const size = stored + values.length;
    if (size > this.#array.length) this.#resize(size, this.#keys.length);
    for (let index = values.length; index > 0; index -= 1) this.#array[stored + index - 1] = values[index - 1];
    return this;
  }

  #resize(arraySize: number, hashSize: number): void {
    const keys = this.#keys;
    const values = this.#values;
    const surplus = this.#array.slice(arraySize);
    const before = this.#array.length;
    if (arraySize > before) for (let index = before; index < arraySize; index += 1) this.#array.push(undefined);
    else this.#array.length = arraySize;
    this.#makeNodes(hashSize);
    for (const [offset, value] of surplus.entries()) if (value !== undefined) this.#set(arraySize + offset + 1, value);
    for (let node = values.length - 1; node >= 0; node -= 1) {
      if (values[node] !== undefined) this.#set(keys[node], values[node]);
    }
  }

  #makeNodes(count: number): void {
    let size = count === 0 ? 0 : 1;
    while (size < count) size *= 2;
    this.#keys = [];
    this.#values = [];
    this.#next = [];
    for (let node = 0; node < size; node += 1) {
      this.#keys.push(undefined);
      this.#values.push(undefined);
      this.#next.push(-1);
    }
    this.#lastFree = size;
    this.#index = size === 0 ? undefined : new Map();
  }
}

/** Where a table without an array part has which text, after these texts were added in this order. */
interface Layout {
  readonly keys: readonly Value[];
  readonly next: readonly number[];
  readonly lastFree: number;
  readonly index: ReadonlyMap<Value, number>;
}

/** Only the globals and the libraries have as many, the same ones in each server of each run. */
const MANY_ENTRIES = 16;
const layouts = new Map<string, Layout>();

/** Redis' Lua hashes every byte of a text, without a seed. */
function hashText(text: string): number {
  let hash = text.length;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    hash ^= (hash << 5) + (hash >>> 2) + text.charCodeAt(index);
  }
  return hash >>> 0;
}

const view = new DataView(new ArrayBuffer(8));

function hashNumber(value: number): number {
  view.setFloat64(0, value);
  return (view.getUint32(0) + view.getUint32(4)) >>> 0;
}

/** Counts a key that could live in an array, by the power of two it lies below. */
function countInteger(key: Value, counts: number[]): number {
  if (typeof key !== "number" || key < 1 || key > 67108864 || !Number.isInteger(key)) return 0;
  const slot = key === 1 ? 0 : 32 - Math.clz32(key - 1);
  counts[slot] = (counts[slot] ?? 0) + 1;
  return 1;
}

/** The largest power of two of which more than half would be used. */
function bestArraySize(counts: readonly number[], total: number): { size: number; used: number } {
  let seen = 0;
  let used = 0;
  let size = 0;
  for (let slot = 0, power = 1; power / 2 < total; slot += 1, power *= 2) {
    const count = counts[slot] ?? 0;
    if (count > 0) {
      seen += count;
      if (seen > power / 2) {
        size = power;
        used = seen;
      }
    }
    if (seen === total) break;
  }
  return { size, used };
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A number in place of the address by which Lua hashes tables and functions: their order has no meaning. */
function identityOf(value: object): number {
  let identity = identities.get(value);
  if (identity === undefined) {
    lastIdentity += 1;
    identity = lastIdentity;
    identities.set(value, identity);
  }
  return identity;
}
