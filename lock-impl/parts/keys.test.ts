import { expect, it } from "vitest";
import { siblingKey } from "./keys.ts";

it.each([
  ["orders", "{orders}:fence"],
  ["{user:7}:orders", "{user:7}:orders:fence"],
  ["a:{b}{c}", "a:{b}{c}:fence"],
  ["a{b", "{a{b}:fence"],
])("%s has its fence in its slot", (key, fence) => expect(siblingKey(key, "fence")).toBe(fence));

it.each(["a}b", "{}a"])("%s has no possible sibling", (key) =>
  expect(() => siblingKey(key, "fence")).toThrow(RangeError),
);
