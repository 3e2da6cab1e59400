import { expect, it } from "vitest";
import { hashRing } from "./hash-ring.ts";

const NODES = ["node-0", "node-1", "node-2", "node-3", "node-4"];
const KEYS = Array.from({ length: 4_000 }, (_, index) => `key-${index}`);
const ring = hashRing(NODES);

/** The name of a key's home on a ring of these nodes. */
function homesOn(names: readonly string[]): readonly (string | undefined)[] {
  const homeOf = hashRing(names);
  return KEYS.map((key) => names[homeOf(key)[0] ?? -1]);
}

it("gives each node about its share of the keys", () => {
  const counts = NODES.map((name) => homesOn(NODES).filter((home) => home === name).length);
  for (const count of counts) expect(Math.abs(count - KEYS.length / NODES.length)).toBeLessThan(250);
});

it("names every node once for each key", () => {
  for (const key of KEYS.slice(0, 500)) expect(new Set(ring(key))).toEqual(new Set([0, 1, 2, 3, 4]));
});

it("is the same for the same names, in any order", () => {
  expect(homesOn(NODES.toReversed())).toEqual(homesOn(NODES));
});

it("moves only the keys of a node that goes, each to the next that it named", () => {
  const without = homesOn(NODES.filter((name) => name !== "node-2"));
  const expected = homesOn(NODES).map((before, index) =>
    before === "node-2" ? NODES[ring(KEYS[index] ?? "").find((node) => node !== 2) ?? -1] : before,
  );
  expect(without).toEqual(expected);
});

it("moves to a node that comes only what it gets: about its share", { tags: "long" }, () => {
  const before = homesOn(NODES);
  const moved = homesOn([...NODES, "node-5"]).filter((home, index) => home !== before[index]);
  expect(moved.every((home) => home === "node-5")).toBe(true);
  expect(Math.abs(moved.length - KEYS.length / 6)).toBeLessThan(250);
});
