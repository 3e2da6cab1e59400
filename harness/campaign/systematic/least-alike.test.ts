import fc from "fast-check";
import { expect, test } from "vitest";
import { leastAlike, type TakenAspects } from "./least-alike.ts";

interface Item {
  readonly name: string;
  readonly cost: number;
}

const options = {
  costOf: ({ cost }: Item) => cost,
  aspectsOf: ({ name }: Item) => name.split("").map((letter) => [letter, 2] as const),
};
const item = (name: string, cost = 0): Item => ({ name, cost });
const namesOf = (items: IteratorObject<Item>): string =>
  items
    .map(({ name }) => name)
    .toArray()
    .join(" ");

test("the cheapest comes first, and what shares an aspect with one before it comes later", () => {
  const items = [item("ab"), item("ac"), item("cd", 1), item("ef", 3)];
  // After ab: ac costs 2, cd 1. After cd: ac costs 4, ef 3.
  expect(namesOf(leastAlike(items, options))).toBe("ab cd ef ac");
});

test("of equally dear ones the first comes first, and none is left out", () => {
  expect(namesOf(leastAlike([item("x"), item("y"), item("z")], options))).toBe("x y z");
  const many = Array.from({ length: 500 }, (_, index) => item(`${index % 7}${index % 11}${index % 13}`, index % 5));
  const order = [...leastAlike(many, options)];
  expect(new Set(order).size).toBe(500);
  expect([...leastAlike(many, options)]).toEqual(order);
});

test("each is the cheapest of those that are left", () => {
  const many = Array.from({ length: 60 }, (_, index) =>
    item(`${"abcdef"[index % 6]}${"uvwxyz"[index % 5]}`, index % 4),
  );
  const taken = new Map<string, number>();
  const costNow = ({ name, cost }: Item): number =>
    name.split("").reduce((sum, letter) => sum + 2 * (taken.get(letter) ?? 0), cost);
  const left = new Set(many);
  for (const next of leastAlike(many, options)) {
    expect(costNow(next)).toBe(Math.min(...[...left].map(costNow)));
    left.delete(next);
    for (const letter of next.name) taken.set(letter, (taken.get(letter) ?? 0) + 1);
  }
  expect(left.size).toBe(0);
});

test("what another order took counts", () => {
  const taken: TakenAspects = new Map();
  expect(namesOf(leastAlike([item("a")], { ...options, taken }))).toBe("a");
  expect(namesOf(leastAlike([item("a"), item("b", 1)], { ...options, taken }))).toBe("b a");
});

/** The same order, where every item is looked at before the first is taken. */
function eagerly(items: readonly Item[], taken: Map<string, number>): Item[] {
  const unitsNow = (each: Item): number =>
    2 * options.aspectsOf(each).reduce((sum, [name, weight]) => sum + weight * (taken.get(name) ?? 0), each.cost);
  const lists: Item[][] = [];
  for (const each of items) (lists[unitsNow(each)] ??= []).push(each);
  const order: Item[] = [];
  for (let units = 0; units < lists.length; units += 1) {
    for (const each of lists[units] ?? []) {
      const now = unitsNow(each);
      if (now > units) (lists[now] ??= []).push(each);
      else {
        for (const [name] of options.aspectsOf(each)) taken.set(name, (taken.get(name) ?? 0) + 1);
        order.push(each);
      }
    }
  }
  return order;
}

test("the order is the one in which every item is looked at before the first is taken", () => {
  const drawn = fc.record({ name: fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 3 }), cost: fc.nat(6) });
  const before = fc.dictionary(fc.constantFrom("a", "b", "d"), fc.integer({ min: 1, max: 3 }));
  fc.assert(
    fc.property(fc.array(drawn), before, (some, counts) => {
      // The least cost is 0.
      const items = [item("free"), ...some];
      const taken: TakenAspects = new Map(Object.entries(counts).map(([name, times]) => [name, { taken: times }]));
      expect([...leastAlike(items, { ...options, taken })]).toEqual(eagerly(items, new Map(Object.entries(counts))));
    }),
  );
});

test("nothing but the cost is asked of an item that was not reached", () => {
  const asked: string[] = [];
  const aspectsOf = (each: Item) => {
    asked.push(each.name);
    return options.aspectsOf(each);
  };
  const order = leastAlike([item("a"), item("b"), item("c", 1), item("d", 5)], { ...options, aspectsOf });
  expect(order.take(2).toArray()).toHaveLength(2);
  expect(asked).toEqual(["a", "b"]);
});
