import { expect, test } from "vitest";
import { visitDistinct } from "./distinct-items.ts";
import type { Item } from "./run-model.ts";
import { gutterOf, type Scene } from "./scene.ts";

const WIDTH = 600 + gutterOf(696);

function operations(count: number): readonly Item[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: "operation",
    lane: 0,
    from: index * 10,
    to: index * 10 + 5,
    event: index,
    outcome: "ok",
    label: "write",
  }));
}

function scene(view: Scene["view"], matching?: Uint8Array): Scene {
  return {
    model: { data: {}, lanes: [], itemOf: new Map() } as unknown as Scene["model"],
    view,
    places: [],
    width: WIDTH,
    height: 100,
    scrollTop: 0,
    matching,
    selected: undefined,
    hovered: undefined,
    focusedLane: undefined,
  };
}

function visited(items: readonly Item[], where: Scene): readonly number[] {
  const seen: number[] = [];
  visitDistinct(where, items, ({ event }) => seen.push(event));
  return seen;
}

test("what can be told apart is visited, and nothing outside", () => {
  expect(visited(operations(100), scene({ from: 200, to: 300 }))).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
});

test("however long a run is, at most one item of each pixel is visited, from the first to the last", () => {
  const seen = visited(operations(150_000), scene({ from: 0, to: 1_500_000 }));
  expect(seen.length).toBeGreaterThan(550);
  expect(seen.length).toBeLessThanOrEqual(602);
  expect(seen[0]).toBe(0);
  expect(seen.at(-1)).toBeGreaterThan(149_000);
});

test("a match is seen among what the filter hides, in the same pixel too", () => {
  const matching = new Uint8Array(150_000);
  matching[70_003] = 1;
  const clear: number[] = [];
  visitDistinct(scene({ from: 0, to: 1_500_000 }, matching), operations(150_000), ({ event }, opacity) => {
    if (opacity === 1) clear.push(event);
  });
  expect(clear).toEqual([70_003]);
});
