import { expect, test } from "vitest";
import { systemsAtATime } from "./systems-at-a-time.ts";

const GIB = 1024 ** 3;

test("cores and memory bound the number of systems, and one is always possible", () => {
  expect(systemsAtATime(2, 64 * GIB)).toBe(4);
  expect(systemsAtATime(32, 4 * GIB)).toBe(5);
  expect(systemsAtATime(1, GIB / 16)).toBe(1);
});
