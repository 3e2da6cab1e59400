import { expect, test } from "vitest";
import { wilsonInterval } from "./proportion.ts";

test.each([
  // Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])("%i of %i: %f to %f", (hits, trials, low, high) => {
  const interval = wilsonInterval({ hits, trials });
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test("all is the mirror of none", () => {
  const none = wilsonInterval({ hits: 0, trials: 7 });
  const all = wilsonInterval({ hits: 7, trials: 7 });
  expect(all.high).toBe(1);
  expect(all.low).toBeCloseTo(1 - none.high, 12);
});

test("without trials anything is possible", () => {
  expect(wilsonInterval({ hits: 0, trials: 0 })).toEqual({ low: 0, high: 1 });
});
