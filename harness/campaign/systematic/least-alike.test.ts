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
