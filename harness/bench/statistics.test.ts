import { expect, test } from "vitest";
import { geometricMean, median, quartiles, spread, superiority } from "./statistics.ts";

test.each([
  [[7], { median: 7, min: 7, max: 7 }],
  [[3, 1], { median: 2, min: 1, max: 3 }],
  [[10, 9, 2], { median: 9, min: 2, max: 10 }],
  [[100, 20, 3, 4], { median: 12, min: 3, max: 100 }],
])("the spread of %j", (samples, expected) => {
  const before = [...samples];
  expect(spread(samples)).toEqual(expected);
  expect(median(samples)).toBe(expected.median);
  expect(samples).toEqual(before);
});

test("nothing has no spread", () => {
  expect(() => spread([])).toThrow(RangeError);
});

test("quartiles, geometric mean and superiority of known figures", () => {
  expect(quartiles([4, 1, 3, 2])).toEqual([1, 2, 3]);
  expect(geometricMean([1, 10, 100])).toBeCloseTo(10);
  expect(superiority([1, 2], [3, 4])).toBe(1);
  expect(superiority([1, 2], [1, 2])).toBe(0.5);
  expect(superiority([3], [1, 3])).toBe(0.25);
});
