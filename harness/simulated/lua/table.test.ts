import { describe, expect, test } from "vitest";
import { LuaTable } from "./table.ts";
import { LuaError, type Value } from "./value.ts";

function keysOf(table: LuaTable): Value[] {
  return Array.from(table.entries(), ([key]) => key);
}

// Orders and lengths as a real Redis 8.0.2 gave them.
describe("order", () => {
  test("of fields that came one by one", () => {
    const table = new LuaTable();
    for (const key of ["x", "y", "z", "w"]) table.set(key, 1);
    expect(keysOf(table)).toEqual(["y", "x", "w", "z"]);
  });

  test("of fields for which a constructor made room", () => {
    const table = new LuaTable(0, 3);
    for (const key of ["a", "b", "c"]) table.set(key, 1);
    expect(keysOf(table)).toEqual(["a", "c", "b"]);
  });

  test("of keys of all types", () => {
    const table = new LuaTable(0, 4);
    for (const key of [1.5, 2, true, "s"]) table.set(key, 1);
    expect(keysOf(table)).toEqual(["s", 2, 1.5, true]);
  });

  test("of twenty fields, resized again and again", () => {
    const table = new LuaTable();
    for (let index = 1; index <= 20; index += 1) table.set(`key${index}`, index);
    const numbers = [16, 9, 5, 1, 7, 3, 8, 12, 11, 10, 19, 17, 20, 2, 13, 6, 18, 15, 4, 14];
    expect(keysOf(table)).toEqual(numbers.map((number) => `key${number}`));
  });

  test.each<[keys: number[], order: number[], length: number]>([
    [[7, 3, 1, 5, 2.5, 10, 100], [1, 7, 2.5, 3, 100, 5, 10], 1],
    [[20, 2, 8, 4, 16, 1], [20, 2, 8, 1, 4, 16], 20],
    [[1, 2, 8, 16, 0.5, -3, 1e10], [1, 2, 0.5, 8, 1e10, -3, 16], 2],
    [[2, 4, 9, 1], [1, 2, 4, 9], 4],
  ])("of numbers %j", (keys, order, length) => {
    const table = new LuaTable();
    for (const key of keys) table.set(key, key);
    expect(keysOf(table)).toEqual(order);
    expect(table.length).toBe(length);
  });

  test("stays while fields are cleared on the way", () => {
    const table = LuaTable.from({ a: 1, b: 2, c: 3 });
    for (const [key] of table.entries()) table.set(key, undefined);
    expect(keysOf(table)).toEqual([]);
  });
});

describe("length", () => {
  test.each<[values: Value[], length: number]>([
    [[1, 2, undefined, 4], 4],
    [[undefined, undefined, 3], 3],
    [[1, 2, 3, undefined, 5], 5],
    [[1, 2, undefined], 2],
    [[], 0],
  ])("of a list %j is %i", (values, length) => {
    expect(new LuaTable(values.length, 0).store(0, values).length).toBe(length);
  });

  test("of a table that grew with a hole", () => {
    const table = new LuaTable();
    for (const key of [1, 2, 4]) table.set(key, key);
    expect(table.length).toBe(4);
  });
});

test("a list made at once behaves as one that grew", () => {
  for (let length = 0; length <= 20; length += 1) {
    const values = Array.from({ length }, (_, index) => index);
    const [atOnce, grown] = [LuaTable.of(...values), new LuaTable()];
    values.forEach((value, index) => grown.set(index + 1, value));
    for (const table of [atOnce, grown]) {
      for (const key of ["x", length + 3, length + 2, "y"]) table.set(key, 1);
    }
    expect(keysOf(atOnce)).toEqual(keysOf(grown));
    expect(atOnce.length).toBe(grown.length);
  }
});

test("every key is found again, after any removals", () => {
  const table = new LuaTable();
  const model = new Map<Value, Value>();
  for (let index = 0; index < 5_000; index += 1) {
    const number = (index * 7919) % 257;
    const key = index % 3 === 0 ? number : index % 3 === 1 ? `k${number}` : number / 2;
    const value = index % 5 === 0 ? undefined : index;
    table.set(key, value);
    if (value === undefined) model.delete(key);
    else model.set(key, value);
  }
  for (const [key, value] of model) expect(table.get(key)).toBe(value);
  expect(new Set(keysOf(table))).toEqual(new Set(model.keys()));
});

test("keys that are none, and tables that are protected, are refused", () => {
  const table = new LuaTable();
  expect(() => table.set(undefined, 1)).toThrow(LuaError);
  expect(() => table.set(Number.NaN, 1)).toThrow(LuaError);
  expect(() => table.next("never there")).toThrow("invalid key to 'next'");
  table.readonly = true;
  expect(() => table.set("a", 1)).toThrow("Attempt to modify a readonly table");
});

describe("a table that is filled with many entries at once", () => {
  const names = Array.from({ length: 37 }, (_, index) => `name ${(index * 7) % 37}`);
  const entries = (value: number): Record<string, Value> =>
    Object.fromEntries(names.map((name, index) => [name, value + index]));
  const oneByOne = (value: number): LuaTable => {
    const table = new LuaTable();
    for (const [name, each] of Object.entries(entries(value))) table.set(name, each);
    return table;
  };

  test("is as if they had come one by one, the first time and later", () => {
    for (const value of [100, 200, 300]) {
      const table = LuaTable.from(entries(value));
      expect([...table.entries()]).toEqual([...oneByOne(value).entries()]);
      // What comes after takes the same free nodes, and nothing of it gets into the next table.
      const model = oneByOne(value);
      for (const each of [table, model]) {
        for (let more = 0; more < 40; more += 1) each.set(`more ${more}`, more);
        each.set("name 7", undefined);
      }
      expect([...table.entries()]).toEqual([...model.entries()]);
    }
  });

  test("has a free node for a nil, whatever was filled before", () => {
    LuaTable.from(entries(1));
    const withNil = { ...entries(1), "name 7": undefined };
    const model = new LuaTable();
    for (const [name, value] of Object.entries(withNil)) model.set(name, value);
    expect([...LuaTable.from(withNil).entries()]).toEqual([...model.entries()]);
  });

  test("that has entries already keeps them", () => {
    LuaTable.from(entries(1));
    const table = LuaTable.from({ first: 1 });
    table.setAll(entries(2));
    expect(table.get("first")).toBe(1);
    expect(keysOf(table)).toHaveLength(38);
  });
});

describe("a table that is filled later", () => {
  const later = (): LuaTable =>
    LuaTable.filledLater((table) => ["x", "y", "z", "w"].forEach((key) => table.set(key, 1)));

  test.each<[string, (table: LuaTable) => unknown, unknown]>([
    ["got from", (table) => table.get("z"), 1],
    ["walked", keysOf, ["y", "x", "w", "z"]],
    ["gone on in", (table) => table.next("w")?.[0], "z"],
    ["measured", (table) => (table.set(1, 1), table.length), 1],
  ])("is filled when it is %s", (_, look, found) => {
    expect(look(later())).toEqual(found);
  });

  test("keeps what was set before it was looked into", () => {
    const table = later();
    table.set("x", 2);
    expect(keysOf(table)).toEqual(["y", "x", "w", "z"]);
    expect(table.get("x")).toBe(2);
  });

  test("is protected before and after", () => {
    const table = later();
    table.readonly = true;
    expect(() => table.set("v", 1)).toThrow(LuaError);
    expect(table.get("x")).toBe(1);
    expect(() => table.set("v", 1)).toThrow(LuaError);
    expect(keysOf(table)).toHaveLength(4);
  });
});
