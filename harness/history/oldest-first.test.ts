import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countKept } from "../check/testing/garbage.ts";
import { OldestFirst } from "./oldest-first.ts";

describe("a map that knows its oldest entry", () => {
  it.each([5, 40])("agrees with a map, after any sets and deletions of %i entries", (max) => {
    const change = fc.record({ key: fc.nat({ max }), does: fc.constantFrom("remove", "set", "set anew") });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const [tried, expected] = [new OldestFirst<number, object>(), new Map<number, object>()];
        for (const { key, does } of changes) {
          const had = expected.delete(key);
          if (does !== "set") expect(tried.delete(key)).toBe(had);
          if (does !== "remove") {
            const value = {};
            tried.set(key, value);
            expected.set(key, value);
          }
          expect(tried.oldest).toEqual(expected.entries().next().value);
          expect(tried.size).toBe(expected.size);
          expect(tried.get(key)).toBe(expected.get(key));
          expect(tried.has(key + 1)).toBe(expected.has(key + 1));
        }
        expect([...tried.values()]).toEqual([...expected.values()]);
        tried.clear();
        expect(tried.oldest).toBeUndefined();
      }),
    );
  });

  it("drops the one set longest ago when it has more than it keeps", () => {
    const entries = new OldestFirst<string, number>(2);
    entries.set("a", 1);
    entries.set("b", 2);
    entries.set("a", 3);
    entries.set("c", 4);
    expect([...entries.entries()]).toEqual([
      ["a", 3],
      ["c", 4],
    ]);
  });

  it("keeps few of those that were deleted: there may be thousands of such maps", async () => {
    const entries = new OldestFirst<number, object>();
    const values: WeakRef<object>[] = [];
    for (let key = 0; key < 200; key += 1) {
      const value = {};
      values.push(new WeakRef(value));
      entries.set(key, value);
      entries.delete(key - 1);
      expect(entries.oldest?.[0]).toBe(key);
    }
    expect(await countKept(values)).toBeLessThan(50);
    expect(entries.size).toBe(1);
  });
});
