import { expect, test } from "vitest";
import { deadlineWords, durationMs, requireDurationMs } from "./duration.ts";

test.each([
  ["300", "s", 300_000],
  ["300", "ms", 300],
  ["5m", "s", 300_000],
  ["1h30m", "s", 5_400_000],
  ["30d", "s", 2_592_000_000],
  ["1.5s", "ms", 1500],
  [" 20MS ", "s", 20],
  ["500us", "ms", 0.5],
  ["1e2", "ms", 100],
] as const)("%j, bare numbers in %s, is %d ms", (text, bare, ms) => {
  expect(durationMs(text, bare)).toBe(ms);
});

test.each(["", " ", "-5", "5 m", "5w", "m", "1m x", "0x10", "NaN", "Infinity", "5m3", "１"])(
  "%j is no duration",
  (text) => {
    expect(durationMs(text, "s")).toBeUndefined();
  },
);

test.each(["0", "0s", "1e999", "1e999h"])("%j is no duration above zero", (text) => {
  expect(() => requireDurationMs("--budget", text, "s")).toThrow(`--budget "${text}" is not a duration`);
});

test.each([
  [300, "300 ms"],
  [9_999, "9,999 ms"],
  [10_000, "10 s"],
  [50_000, "50 s"],
  [1_500_000, "1,500 s"],
])("a deadline of %d ms is told as %s", (ms, words) => {
  expect(deadlineWords(ms)).toBe(words);
});
