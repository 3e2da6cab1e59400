import { describe, expect, test } from "vitest";
import { adviseTtl, HOLDS_FOR_TAIL } from "./ttl-advice.ts";

const advise = (durations: readonly number[], marginShare = 0.2) => adviseTtl(durations, { marginShare, cutOff: 0 });

/** The distribution's quantiles at equal steps: a large sample without randomness. */
const sample = (count: number, quantileAt: (share: number) => number): readonly number[] =>
  Array.from({ length: count }, (_, index) => quantileAt((index + 0.5) / count));
const exponential = (mean: number) => (share: number) => -mean * Math.log1p(-share);

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

  test("rules that give the same TTL are one choice", () => {
    const { advised, choices } = advise([100, 100, 1000]);
    expect(choices.map(({ rule, ttlMs }) => [rule, ttlMs])).toEqual([
      ["3 x mean and P99.9 + 20 %", 1200],
      ["5 x mean", 2000],
    ]);
    expect(advised).toBe(choices[0]);
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
    expect(few.cautions[0]).toContain("3 holds are too few to estimate P99.9");
    expect(HOLDS_FOR_TAIL).toBe(2995);
    expect(advise(sample(2995, exponential(1))).cautions).toHaveLength(1);
    expect(adviseTtl([1], { marginShare: 0, cutOff: 4 }).cautions.join(" ")).toContain("4 holds have no known end");
  });

  test("has no TTL of nothing, and none without a hold", () => {
    expect(advise([0, 0]).advised).toMatchObject({ ttlMs: 1, renewEveryMs: 1 });
    expect(() => advise([])).toThrow(RangeError);
  });
});
