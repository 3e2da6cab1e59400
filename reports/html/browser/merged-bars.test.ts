import { expect, test } from "vitest";
import { MergedBars } from "./merged-bars.ts";

type Bar = readonly [x: number, width: number, color: string, alpha?: number];

/** What is painted of these bars: left, right, colour, opacity. */
function painted(bars: readonly Bar[]): readonly unknown[] {
  const rectangles: unknown[] = [];
  const context = {
    globalAlpha: 1,
    fillStyle: "",
    fillRect(x: number, top: number, width: number, height: number): void {
      expect([top, height]).toEqual([7, 5]);
      rectangles.push([x, x + width, this.fillStyle, this.globalAlpha]);
    },
  };
  const merged = new MergedBars(context, { top: 7, height: 5 });
  for (const bar of bars) merged.add(...bar);
  merged.paint();
  merged.paint();
  return rectangles;
}

test("bars that touch are painted as one, others each", () => {
  expect(
    painted([
      [0, 2, "red"],
      [1, 2, "red"],
      [3, 2, "red"],
      [9, 2, "red"],
    ]),
  ).toEqual([
    [0, 5, "red", 1],
    [9, 11, "red", 1],
  ]);
});

test("one that is within another makes it no shorter", () => {
  expect(
    painted([
      [0, 10, "red"],
      [2, 2, "red"],
      [9, 3, "red"],
    ]),
  ).toEqual([[0, 12, "red", 1]]);
});

test("another colour, or another opacity, is another bar", () => {
  expect(
    painted([
      [0, 2, "red"],
      [1, 2, "blue"],
      [2, 2, "blue", 0.15],
    ]),
  ).toEqual([
    [0, 2, "red", 1],
    [1, 3, "blue", 1],
    [2, 4, "blue", 0.15],
  ]);
});

test("nothing paints nothing", () => {
  expect(painted([])).toEqual([]);
});
