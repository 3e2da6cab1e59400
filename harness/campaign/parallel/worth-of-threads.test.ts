import { describe, expect, test } from "vitest";
import { Pace } from "./worth-of-threads.ts";

/** A process that took a second until its first plan, and then 400 ms for each number of plans. */
function paceOf(...plans: readonly number[]): Pace {
  const pace = new Pace();
  let [begun, cpuMs] = [0, 1000];
  pace.note({ begun, cpuMs });
  for (const more of plans) {
    begun += more;
    cpuMs += 400;
    pace.note({ begun, cpuMs });
  }
  return pace;
}

describe("other threads are worth their start", () => {
  test("when they save twice the time that it takes", () => {
    // It takes two seconds, and each plan 10 ms.
    expect(paceOf(40).isWorth(2, 1200)).toBe(true);
    expect(paceOf(40).isWorth(2, 1199)).toBe(false);
    expect(paceOf(40).isWorth(8, 686)).toBe(true);
    expect(paceOf(40).isWorth(8, 685)).toBe(false);
  });

  test("not for the little that is left", () => {
    expect(paceOf(40).isWorth(2, 0)).toBe(false);
  });

  test("for work without an end", () => {
    expect(paceOf(40).isWorth(2, Infinity)).toBe(true);
  });

  test("never, if there is only one", () => {
    expect(paceOf(40).isWorth(1, 1e9)).toBe(false);
  });

  test("by the pace of the latest plans", () => {
    expect(paceOf(4).isWorth(2, 1000)).toBe(true);
    expect(paceOf(4, 80).isWorth(2, 1000)).toBe(false);
  });

  test("not while nobody knows how fast plans go", () => {
    expect(new Pace().isWorth(2, 1e9)).toBe(false);
    const pace = new Pace();
    pace.note({ begun: 0, cpuMs: 1000 });
    pace.note({ begun: 5, cpuMs: 1399 });
    expect(pace.isWorth(2, 1e9)).toBe(false);
  });
});
