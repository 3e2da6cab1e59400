import { describe, expect, test } from "vitest";
import { upperBound } from "./binomial-bound.ts";
import { adviseTtl, HOLDS_FOR_TAIL } from "./ttl-advice.ts";

const advise = (durations: readonly number[], marginShare = 0.2) => adviseTtl(durations, { marginShare, cutOff: 0 });

/** The distribution's quantiles at equal steps: what a large sample of it looks like, without chance. */
const sample = (count: number, quantileAt: (share: number) => number): readonly number[] =>
  Array.from({ length: count }, (_, index) => quantileAt((index + 0.5) / count));
const exponential = (mean: number) => (share: number) => -mean * Math.log1p(-share);

describe("the exact bound of Clopper and Pearson", () => {
  test.each([
    // Tabulated values of the one-sided 95 % bound.
    [0, 10, 0.258_866],
    [1, 10, 0.394_163],
    [5, 10, 0.777_559],
    [0, 100, 0.029_513],
    [2, 100, 0.061_621],
    [10, 100, 0.163_68],
  ])("for %i of %i is %f", (hits, trials, bound) => {
    expect(upperBound(hits, trials)).toBeCloseTo(bound, 4);
  });

  test("for none is one less the n-th root of what remains", () => {
    for (const trials of [1, 3, 59, 2995, 1_000_000])
      expect(upperBound(0, trials)).toBeCloseTo(1 - 0.05 ** (1 / trials), 9);
  });

  test("is above the share, falls with the number of trials, and is one where all or nothing was seen", () => {
    expect(upperBound(30, 100)).toBeGreaterThan(0.3);
    expect(upperBound(300, 1000)).toBeLessThan(upperBound(30, 100));
    expect(upperBound(300, 1000)).toBeGreaterThan(0.3);
    expect(upperBound(5000, 1_000_000)).toBeCloseTo(0.005_117, 5);
    expect([upperBound(4, 4), upperBound(0, 0)]).toEqual([1, 1]);
  });

  test("fails to hold for at most 5 % of samples", () => {
    // The probability, summed over all outcomes of 20 trials, that the bound lies below the truth.
    for (const truth of [0.01, 0.1, 0.3, 0.7]) {
      let [probability, missed] = [(1 - truth) ** 20, 0];
      for (let hits = 0; hits <= 20; hits += 1) {
        if (upperBound(hits, 20) < truth) missed += probability;
        probability *= ((20 - hits) / (hits + 1)) * (truth / (1 - truth));
      }
      expect(missed).toBeLessThanOrEqual(0.05);
    }
  });
});

describe("the advice", () => {
  test("of exponential holds: mean, tail, and the overruns that the distribution has there", () => {
    const { meanMs, medianMs, p99Ms, p999Ms, choices, advised } = advise(sample(100_000, exponential(200)));
    expect(meanMs).toBeCloseTo(200, 1);
    expect(medianMs).toBeCloseTo(200 * Math.LN2, 1);
    expect(p99Ms).toBeCloseTo(200 * Math.log(100), 0);
    expect(p999Ms).toBeCloseTo(200 * Math.log(1000), -1);
    expect(choices.map(({ rule, ttlMs }) => [rule, ttlMs])).toEqual([
      ["3 x mean", 600],
      ["5 x mean", 1000],
      ["P99.9 + 20 %", 1700],
    ]);
    for (const { ttlMs, overrunShare, overrunShareAtMost } of choices) {
      expect(overrunShare).toBeCloseTo(Math.exp(-ttlMs / 200), 4);
      expect(overrunShareAtMost).toBeGreaterThan(overrunShare);
      expect(overrunShareAtMost).toBeLessThan(overrunShare + 0.002);
    }
    expect(advised).toMatchObject({ rule: "P99.9 + 20 %", renewEveryMs: 566 });
  });

  test("of a heavy tail: the mean says too little, P99.9 decides", () => {
    // Pareto with shape 1.5 and scale 10: mean 30, P99.9 1000.
    const { advised, choices } = advise(sample(100_000, (share) => 10 * (1 - share) ** (-1 / 1.5)));
    expect(advised).toMatchObject({ rule: "P99.9 + 20 %", ttlMs: 1200 });
    expect(choices[0]?.overrunShare).toBeGreaterThan(0.03);
  });

  test("of equal holds: the rule of the mean is the stricter one", () => {
    const { advised, choices } = advise(Array.from({ length: 5000 }, () => 100));
    expect(choices.map(({ ttlMs }) => ttlMs)).toEqual([120, 300, 500]);
    expect(advised).toMatchObject({ rule: "3 x mean", ttlMs: 300, overruns: 0, renewEveryMs: 100 });
    expect(advised.overrunShareAtMost).toBeCloseTo(0.0006, 4);
  });

  test("the margin counts, the order of the holds does not, and a hold of just the TTL is none too long", () => {
    expect(advise([10, 1000, 20], 0.5).choices.at(-1)).toMatchObject({ rule: "5 x mean", ttlMs: 1800 });
    expect(advise([10, 1000, 20], 0.5)).toEqual(advise([20, 10, 1000], 0.5));
    expect(advise([1, 1, 9], 0).choices.map(({ ttlMs, overruns }) => [ttlMs, overruns])).toEqual([
      [9, 0],
      [11, 0],
      [19, 0],
    ]);
  });

  test("says when there are too few holds to know the tail, and what was left out", () => {
    const few = advise([100, 120, 140]);
    expect(few.advised.overrunShareAtMost).toBeCloseTo(1 - 0.05 ** (1 / 3), 6);
    expect(few.cautions[0]).toContain("3 holds are too few to know P99.9");
    expect(HOLDS_FOR_TAIL).toBe(2995);
    expect(advise(sample(2995, exponential(1))).cautions).toHaveLength(1);
    expect(adviseTtl([1], { marginShare: 0, cutOff: 4 }).cautions.join(" ")).toContain("4 holds were cut off");
  });

  test("has no TTL of nothing, and none without a hold", () => {
    expect(advise([0, 0]).advised).toMatchObject({ ttlMs: 1, renewEveryMs: 1 });
    expect(() => advise([])).toThrow(RangeError);
  });
});
