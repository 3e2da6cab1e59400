import { expect, test } from "vitest";
import { HostClock } from "./host-clock.ts";

const EPOCH_US = 1_735_689_600_000_000;

function clockAt(startUs: number) {
  let nowUs = startUs;
  let changes = 0;
  const clock = new HostClock(
    EPOCH_US,
    () => nowUs,
    () => (changes += 1),
  );
  return { clock, pass: (us: number) => (nowUs += us), changes: () => changes };
}

test("the wall clock shows the epoch plus true time, the monotonic one the time since the host was made", () => {
  const { clock, pass } = clockAt(7_000_000);
  pass(2_500);
  expect(clock.monotonicUs()).toBe(2_500);
  expect(clock.wallUs()).toBe(EPOCH_US + 7_002_500);
  expect(clock.wallMs()).toBe(EPOCH_US / 1000 + 7_002);
});

test("a jump moves the wall clock alone", () => {
  const { clock, pass } = clockAt(0);
  pass(1_000);
  clock.jump(-60_000_000);
  expect(clock.monotonicUs()).toBe(1_000);
  expect(clock.wallUs()).toBe(EPOCH_US - 59_999_000);
  expect(clock.offsetUs).toBe(-60_000_000);
});

test("a rate moves both clocks, from the moment it is set", () => {
  const { clock, pass, changes } = clockAt(0);
  pass(1_000_000);
  clock.setRate(1.5);
  expect([clock.monotonicUs(), clock.wallUs() - EPOCH_US]).toEqual([1_000_000, 1_000_000]);
  pass(1_000_000);
  expect([clock.monotonicUs(), clock.wallUs() - EPOCH_US]).toEqual([2_500_000, 2_500_000]);
  clock.setRate(0.5);
  pass(1_000_000);
  expect(clock.monotonicUs()).toBe(3_000_000);
  expect(changes()).toBe(2);
});

test("the true time of a reading is the first at which the clock shows it", () => {
  const { clock, pass } = clockAt(0);
  clock.setRate(1.3);
  const dueUs = 1_000_000;
  const trueUs = clock.trueTimeOf(dueUs);
  pass(trueUs - 1);
  expect(clock.monotonicUs()).toBeLessThan(dueUs);
  pass(1);
  expect(clock.monotonicUs()).toBeGreaterThanOrEqual(dueUs);
  expect(clock.trueTimeOf(0)).toBe(trueUs);
});

test.each([0, -1, Number.NaN, Infinity])("a rate of %s is refused", (rate) => {
  expect(() => clockAt(0).clock.setRate(rate)).toThrow(RangeError);
});
