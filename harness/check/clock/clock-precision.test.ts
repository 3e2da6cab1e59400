import fc from "fast-check";
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
    expect(lengthOf(...fine, [1, 1_000_000], [1, 4_000_000], [1, 10_000_000])).toBe(3_000_000);
    expect(lengthOf(...fine, [1, 1_000_000])).toBe(1);
    expect(lengthOf(...fine, [1, 10], [1, 30])).toBe(1);
  });

  it("is no longer than a power of ten where one difference alone shows it: a time-out has a round length too", () => {
    const fine = [1, 17, 5_000_123].map((time) => [0, time] as const);
    expect(lengthOf(...fine, [1, 1_000_000], [1, 60_000_000])).toBe(1_000_000);
    expect(lengthOf(...fine, [1, 123_456], [1, 844_123_456])).toBe(1_000_000);
    expect(lengthOf(...fine, [1, 100_000_000], [1, 900_000_000])).toBe(100_000_000);
  });

  it("is learned anew from a third time that differs by as much", () => {
    const precision = new ClockPrecision(2);
    for (const time of [1, 17, 5_000_123]) precision.push({ process: 0, time });
    precision.push({ process: 1, time: 40_000_000 });
    precision.push({ process: 1, time: 80_000_000 });
    expect(precision.tick.length).toBe(10_000_000);
    precision.push({ process: 1, time: 160_000_000 });
    expect(precision.tick.length).toBe(40_000_000);
  });

  it("does not depend on when it was asked for before", () => {
    const step = fc.constantFrom(1, 10, 1000, 1_000_000, 2_000_000, 3_000_000);
    const readings = fc.array(fc.tuple(fc.nat(3), fc.nat(200), step), { minLength: 1, maxLength: 60 });
    // Each client has a clock of its own for the most part, and now and then reads another.
    const steps = fc.array(step, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(readings, steps, fc.nat(60), (drawn, clocks, often) => {
        const [asked, never] = [new ClockPrecision(4), new ClockPrecision(4)];
        for (const [place, [process, ticks, other]] of drawn.entries()) {
          const time = ticks * (place % (often + 1) === often ? other : (clocks[process] ?? 1));
          asked.push({ process, time });
          never.push({ process, time });
          // Asked at every event, it must say what it says when it is asked once.
          void asked.tick;
          if (place === drawn.length - 1) expect(asked.tick).toEqual(never.tick);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
