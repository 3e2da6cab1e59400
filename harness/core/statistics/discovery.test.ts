import { describe, expect, test } from "vitest";
import { discoveryOf } from "./discovery.ts";
import { randomStream } from "../random.ts";

const oneEach = (classes: readonly string[]): readonly (readonly string[])[] => classes.map((each) => [each]);

describe("the probability of something new", () => {
  test("is the share of runs that showed something which no other run did", () => {
    const shown = oneEach(["a", "b", "b", "c", "d", "d", "d", "e", "e", "e"]);
    expect(discoveryOf(shown)).toMatchObject({ runs: 10, distinct: 5, probability: 0.2 });
    // A run with two things of its own is one run.
    expect(discoveryOf([["a", "b", "c"], ["c"], ["c", "d"], ["c"]])).toMatchObject({ distinct: 4, probability: 0.5 });
  });

  test("is 1 when every run showed something else, and when there was none", () => {
    expect(discoveryOf(oneEach(["a", "b", "c"]))).toMatchObject({ probability: 1, high: 1 });
    expect(discoveryOf([])).toMatchObject({ runs: 0, probability: 1, low: 0, high: 1 });
  });

  test("is bounded by the exact binomial bound when nothing was seen once", () => {
    const { probability, low, high } = discoveryOf(Array.from({ length: 100 }, () => ["same"]));
    expect([probability, low]).toEqual([0, 0]);
    // 1 - 0.025 ** (1 / 100)
    expect(high).toBeCloseTo(0.0362, 4);
  });
});

const SAMPLES = 200;
const RUNS = 300;

/**
 * How far the estimate is from the truth on average, and in what share of samples the interval has it.
 * @param draw a run's things
 * @param probabilityOfNew the truth: how likely the next run shows something that no run has shown
 */
function measured(draw: () => readonly number[], probabilityOfNew: (seen: ReadonlySet<number>) => number) {
  let [covered, error] = [0, 0];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const runs = Array.from({ length: RUNS }, draw);
    const truth = probabilityOfNew(new Set(runs.flat()));
    const { probability, low, high } = discoveryOf(runs.map((things) => things.map(String)));
    if (low <= truth && truth <= high) covered += 1;
    error += (probability - truth) / SAMPLES;
  }
  return { error, covered: covered / SAMPLES };
}

describe("on a known distribution, the estimate is right on average and its interval has the truth in 95 %", () => {
  test.each([
    ["400 classes, all alike", 400, () => 1],
    ["500 classes after Zipf", 500, (rank: number) => 1 / rank],
    ["60 classes, each a fifth rarer than the one before", 60, (rank: number) => 0.8 ** rank],
  ])("of %s, one a run", (name, size, weightOf) => {
    const random = randomStream(1, name);
    const weights = Array.from({ length: size }, (_, index) => weightOf(index + 1));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const draw = (): readonly number[] => {
      let left = (random.integer(0, 0x7fff_fffe) / 0x7fff_ffff) * sum;
      return [
        Math.max(
          0,
          weights.findIndex((weight) => (left -= weight) < 0),
        ),
      ];
    };
    const { error, covered } = measured(draw, (seen) =>
      weights.reduce((total, weight, index) => total + (seen.has(index) ? 0 : weight / sum), 0),
    );
    expect(Math.abs(error)).toBeLessThan(0.01);
    expect(covered).toBeGreaterThan(0.91);
  });

  test("of 300 things, several a run", () => {
    const random = randomStream(1, "several");
    const chances = Array.from({ length: 300 }, (_, index) => 0.5 / (index + 1));
    const draw = (): readonly number[] =>
      chances.flatMap((chance, index) => (random.integer(0, 0x7fff_fffe) / 0x7fff_ffff < chance ? [index] : []));
    const { error, covered } = measured(
      draw,
      (seen) => 1 - chances.reduce((none, chance, index) => none * (seen.has(index) ? 1 : 1 - chance), 1),
    );
    expect(Math.abs(error)).toBeLessThan(0.01);
    expect(covered).toBeGreaterThan(0.91);
  });
});
