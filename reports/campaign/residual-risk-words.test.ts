import { expect, test } from "vitest";
import { residualRiskOf } from "../../harness/core/statistics/residual-risk.ts";
import { residualRiskWords } from "./residual-risk-words.ts";

test("what a quiet campaign leaves open is said with its interval", () => {
  const runs = Array.from({ length: 300 }, (_, index) => ({
    verdict: "valid" as const,
    orders: index < 30 ? [`rare ${index}`, "always"] : [`often ${index % 9}`, "always"],
  }));
  const risk = residualRiskOf(runs);
  expect(risk && residualRiskWords(risk)).toBe(
    "at most 1 % of such runs break it (95 %); 300 random runs showed 40 orders of two events, " +
      "and the next run shows a new one with a probability of 10 % (95 %: 6.6 to 14 %)",
  );
});

test("only plans that were drawn at random count, and only runs that decide bound the violations", () => {
  const random = [
    { verdict: "valid", orders: ["a"] },
    { verdict: "unknown", orders: ["a"] },
    { verdict: "valid", orders: ["b"] },
  ] as const;
  const chosen = [{ verdict: "valid" }, { verdict: "valid" }] as const;
  const risk = residualRiskOf([...chosen, ...random]);
  expect(risk).toMatchObject({ runs: 3, valid: 2, orders: 2, newOrder: { probability: 1 / 3 } });
  // 1 - 0.05 ** (1 / 2)
  expect(risk?.atMost).toBeCloseTo(0.7764, 4);
  expect(residualRiskOf(chosen)).toBeUndefined();
});
