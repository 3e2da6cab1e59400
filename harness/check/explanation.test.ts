import { describe, expect, it } from "vitest";
import type { Hypothesis } from "../core/verdict.ts";
import { explain } from "./explanation.ts";
import { violationsOf } from "./testing/judge.ts";
import { Recording } from "./testing/recording.ts";

it("names the most likely of a hundred possible causes, and what is left when none of them is true", () => {
  const recording = new Recording().acquire(0, 0, "a");
  for (let at = 0; at < 100; at += 1) recording.fault(10 + at, "eviction");
  recording.acquire(200, 1, "b").release(300, 0, "a");
  const [{ hypotheses = [] } = {}] = violationsOf("lease-exclusion", recording);
  expect(hypotheses).toHaveLength(40);
  expect(hypotheses.map(({ fault }) => fault)).toEqual([...Array.from({ length: 39 }, (_, one) => 2 + one), undefined]);
  const [last] = hypotheses.slice(-1);
  expect(last).toMatchObject({ cause: "double-grant", ground: { on: "rest" } });
  expect(last?.ground.on === "rest" && last.ground.faults).toHaveLength(100);
});

it("names all possible causes, if they are few", () => {
  const recording = new Recording().acquire(0, 0, "a");
  for (let at = 0; at < 39; at += 1) recording.fault(10 + at, "eviction");
  recording.acquire(200, 1, "b").release(300, 0, "a");
  expect(violationsOf("lease-exclusion", recording)[0]?.hypotheses).toHaveLength(40);
});

/** The lock itself is to blame, unless one of these faults explains it. */
const byElimination = (faults: readonly number[], isWhole: boolean): Hypothesis => ({
  cause: "double-grant",
  events: [],
  why: "the lock itself granted it twice",
  ground: { on: "rest", faults, isWhole },
  remedies: [],
});

describe("the lock itself as the cause", () => {
  it.each([
    ["a fact where the history names every fault, and there was none", [], true, "proven"],
    ["probable where a fault came that may excuse it", [3], true, "probable"],
    ["probable where the history may not name every fault", [], false, "probable"],
  ] as const)("is %s", (_, faults, isWhole, standing) => {
    const { proof, explanation } = explain("Two clients held it.", [1, 2], [byElimination(faults, isWhole)]);
    expect(proof?.standing).toBe(standing);
    expect(explanation.includes("Probably: ")).toBe(standing === "probable");
  });
});
