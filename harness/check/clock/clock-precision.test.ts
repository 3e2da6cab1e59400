import { describe, expect, it } from "vitest";
import { ClockPrecision } from "./clock-precision.ts";

const lengthOf = (...readings: readonly (readonly [process: number, time: number])[]): number => {
  const precision = new ClockPrecision(2);
  for (const [process, time] of readings) precision.push({ process, time });
  return precision.tick.length;
};

describe("the precision of a clock", () => {
  it("is what all its times have in common, wherever they begin", () => {
    expect(lengthOf([0, 7], [1, 2_000_007], [0, 8_000_007])).toBe(2_000_000);
    expect(lengthOf([0, 0], [1, 2_000_000], [0, 3_000_001])).toBe(1);
  });

  it("is never more than a second", () => {
    expect(lengthOf([0, 5], [1, 5])).toBe(1e9);
    expect(lengthOf([0, 0], [1, 60e9])).toBe(1e9);
  });

  it("is that of the coarser recorder, if that cannot be chance", () => {
    const fine = [1, 17, 5_000_123].map((time) => [0, time] as const);
    expect(lengthOf(...fine, [1, 1_000_000], [1, 4_000_000])).toBe(3_000_000);
    expect(lengthOf(...fine, [1, 1_000_000])).toBe(1);
    expect(lengthOf(...fine, [1, 10], [1, 30])).toBe(1);
  });
});
