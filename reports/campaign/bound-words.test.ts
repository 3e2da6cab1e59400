import { expect, test } from "vitest";
import { boundWords } from "./bound-words.ts";

test.each([
  // 1 - 0.05 ** (1 / runs): for many runs, 3 / runs.
  [231, "at most 1.3 % of such runs break it (95 %)"],
  [6, "at most 40 % of such runs break it (95 %)"],
  [1, "at most 95 % of such runs break it (95 %)"],
  [0, "at most 100 % of such runs break it (95 %)"],
  [300, "at most 1 % of such runs break it (95 %)"],
  [100_000, "at most 0.003 % of such runs break it (95 %)"],
])("%i valid runs without a violation: %s", (runs, words) => {
  expect(boundWords(runs)).toBe(words);
});
