import { expect, test } from "vitest";
import { intersection, touches, uncovered } from "./interval.ts";

const span = (from: number, to: number) => ({ from, to });

test.each([
  [span(0, 5), span(5, 9), true],
  [span(5, 9), span(0, 5), true],
  [span(0, 4), span(5, 9), false],
  [span(5, 9), span(0, 4), false],
  [span(0, 9), span(3, 4), true],
])("%j touches %j: %s", (one, other, expected) => {
  expect(touches(one, other)).toBe(expected);
});

test("an intersection has a length, or is none", () => {
  expect(intersection(span(0, 5), span(3, 9))).toEqual(span(3, 5));
  expect(intersection(span(0, 5), span(5, 9))).toBeUndefined();
  expect(intersection(span(0, 5), span(6, 9))).toBeUndefined();
});

test("what is not covered is what is before, between and after", () => {
  expect(uncovered(span(0, 10), [span(2, 4), span(4, 5), span(7, 8)])).toEqual([span(0, 2), span(5, 7), span(8, 10)]);
  expect(uncovered(span(0, 10), [])).toEqual([span(0, 10)]);
  expect(uncovered(span(0, 10), [span(-1, 12)])).toEqual([]);
  expect(uncovered(span(0, 10), [span(12, 14)])).toEqual([span(0, 10)]);
});
