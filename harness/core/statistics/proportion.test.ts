import { describe, expect, test } from "vitest";
import { upperBound, wilsonInterval } from "./proportion.ts";

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

const bound = (hits: number, trials: number): number => upperBound({ hits, trials });

describe("the exact bound of Clopper and Pearson", () => {
  test.each([
    // Tabulated values of the one-sided 95 % bound.
    [0, 10, 0.258_866],
    [1, 10, 0.394_163],
    [5, 10, 0.777_559],
    [0, 100, 0.029_513],
    [2, 100, 0.061_621],
    [10, 100, 0.163_68],
  ])("for %i of %i is %f", (hits, trials, tabulated) => {
    expect(bound(hits, trials)).toBeCloseTo(tabulated, 4);
  });

  test("for none is one less the n-th root of what remains", () => {
    for (const trials of [1, 3, 59, 2995, 1_000_000]) expect(bound(0, trials)).toBeCloseTo(1 - 0.05 ** (1 / trials), 9);
  });

  test("is above the share, falls with the number of trials, and is one where all or nothing was seen", () => {
    expect(bound(30, 100)).toBeGreaterThan(0.3);
    expect(bound(300, 1000)).toBeLessThan(bound(30, 100));
    expect(bound(300, 1000)).toBeGreaterThan(0.3);
    expect(bound(5000, 1_000_000)).toBeCloseTo(0.005_117, 5);
    expect([bound(4, 4), bound(0, 0)]).toEqual([1, 1]);
  });

  test("fails to hold for at most 5 % of samples", () => {
    // The probability, summed over all outcomes of 20 trials, that the bound lies below the truth.
    for (const truth of [0.01, 0.1, 0.3, 0.7]) {
      let [probability, missed] = [(1 - truth) ** 20, 0];
      for (let hits = 0; hits <= 20; hits += 1) {
        if (bound(hits, 20) < truth) missed += probability;
        probability *= ((20 - hits) / (hits + 1)) * (truth / (1 - truth));
      }
      expect(missed).toBeLessThanOrEqual(0.05);
    }
  });
});
