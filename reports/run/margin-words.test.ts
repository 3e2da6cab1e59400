import { expect, test } from "vitest";
import { marginWords } from "./margin-words.ts";

const margin = (nanoseconds: number) => ({ nanoseconds, events: [1, 2] });

test("each measure that there is gets a line, a lease that was over is said to be", () => {
  expect(marginWords(undefined)).toEqual([]);
  expect(
    marginWords({ smallestGap: margin(1.5e6), smallestValidityLeft: margin(700e6), largestPause: margin(5990e6) }),
  ).toEqual([
    "shortest time between two holds of a lock: 1.50 ms",
    "least lease left at a release: 700 ms",
    "longest time that a client or a node did not run: 5,990 ms",
  ]);
  expect(marginWords({ mostPassed: { grants: 3, events: [1, 9] } })).toEqual([
    "most grants to clients that asked later than one that was waiting: 3",
  ]);
  expect(marginWords({ smallestValidityLeft: margin(-5004e6) })).toEqual([
    "a lease was over 5,004 ms before its release",
  ]);
});
