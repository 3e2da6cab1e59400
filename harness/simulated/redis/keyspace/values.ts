import type { SortedSet } from "./sorted-set.ts";
import type { Stream } from "./stream.ts";

/** What a key can hold. Strings are binary: one byte per UTF-16 unit. */
export type StoredValue = StringValue | ListValue | SetValue | SortedSetValue | HashValue | StreamValue;

export interface StringValue {
  readonly type: "string";
  text: string;
  /**
   * Visible only in OBJECT ENCODING. `set`: as the text allows. `computed`: never an integer, as INCRBYFLOAT leaves it.
   * `edited`: raw, because it was changed in place.
   */
  form: "set" | "computed" | "edited";
}

export interface ListValue {
  readonly type: "list";
  items: string[];
}

/**
 * A set. The order of its members in replies depends on its encoding: numeric in an `intset`, by insertion in a
 * `listpack`. In a `hashtable` the real server's order comes from a random seed, and this one's from insertion.
 */
export interface SetValue {
  readonly type: "set";
  readonly members: Set<string>;
  encoding: "intset" | "listpack" | "hashtable";
}

export interface SortedSetValue {
  readonly type: "zset";
  readonly scores: SortedSet;
  encoding: "listpack" | "skiplist";
}

export interface HashValue {
  readonly type: "hash";
  readonly fields: Map<string, string>;
  /** The expiry of fields that have one, in milliseconds of Unix time. */
  readonly expires: Map<string, number>;
  encoding: "listpack" | "listpackex" | "hashtable";
}

export interface StreamValue {
  readonly type: "stream";
  readonly stream: Stream;
}

export function stringValue(text: string): StringValue {
  return { type: "string", text, form: "set" };
}

/** A copy that shares nothing with the original. */
export function cloneValue(value: StoredValue): StoredValue {
  switch (value.type) {
    case "string":
      return { ...value };
    case "list":
      return { type: "list", items: [...value.items] };
    case "set":
      return { type: "set", members: new Set(value.members), encoding: value.encoding };
    case "zset":
      return { type: "zset", scores: value.scores.clone(), encoding: value.encoding };
    case "hash":
      return {
        type: "hash",
        fields: new Map(value.fields),
        expires: new Map(value.expires),
        encoding: value.encoding,
      };
    case "stream":
      return { type: "stream", stream: value.stream.clone() };
  }
}

/**
 * Bytes that a value takes, roughly as the server's allocator would account them: enough for maxmemory to mean
 * something, not exact.
 */
export function sizeOf(value: StoredValue): number {
  const overhead = 48;
  switch (value.type) {
    case "string":
      return overhead + value.text.length;
    case "list":
      return overhead + value.items.reduce((sum, item) => sum + item.length + 11, 40);
    case "set":
      return overhead + sumOf(value.members, (member) => member.length + 24);
    case "zset":
      return overhead + sumOf(value.scores.members(), (member) => member.length + 40);
    case "hash":
      return overhead + sumOf(value.fields, ([field, text]) => field.length + text.length + 32);
    case "stream":
      return overhead + value.stream.size();
  }
}

function sumOf<T>(items: Iterable<T>, sizeOfItem: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += sizeOfItem(item);
  return sum;
}
