import { expect, test } from "vitest";
import { columnScale, roundStep } from "./column-scale.ts";

const base = { window: { from: 0, to: 1000 }, columns: 100, tickDistance: 9 };

test("without anything to leave out it is linear and covers all columns", () => {
  const scale = columnScale({ ...base, instants: [100, 400, 700] });
  expect(scale.breaks).toEqual([]);
  expect([0, 100, 500, 990, 1000].map((time) => scale.columnOf(time))).toEqual([0, 10, 50, 99, 99]);
});

test("times outside are clamped", () => {
  const scale = columnScale({ ...base, instants: [] });
  expect([scale.columnOf(-5), scale.columnOf(5000)]).toEqual([0, 99]);
});

test("what must be seen gets an eighth of the columns, at the expense of empty stretches", () => {
  const emphasis = { from: 900, to: 905 };
  const scale = columnScale({ ...base, instants: [10, 900, 905], emphasis });
  expect(scale.breaks.length).toBeGreaterThan(0);
  expect(scale.columnOf(905) - scale.columnOf(900)).toBeGreaterThanOrEqual(12);
  for (const { from, to } of scale.breaks) {
    expect(from).toBeGreaterThan(10);
    expect(to).toBeLessThanOrEqual(1000);
    expect(to <= 900 || from >= 905).toBe(true);
  }
});

test("what must be seen is itself never left out", () => {
  const scale = columnScale({ ...base, instants: [], emphasis: { from: 0, to: 1000 } });
  expect(scale.breaks).toEqual([]);
});

test("even where it is the longest stretch and yet too narrow, what must be seen is not left out", () => {
  const instants = Array.from({ length: 50 }, (_, index) => index * 20).filter((time) => time < 500 || time > 560);
  const scale = columnScale({ ...base, columns: 300, instants, emphasis: { from: 500, to: 560 } });
  expect(scale.breaks).toEqual([]);
});

test("a later time never stands further left, also across what was left out", () => {
  const scale = columnScale({ ...base, instants: [3, 4, 5, 500, 501, 900], emphasis: { from: 500, to: 501 } });
  const columns = Array.from({ length: 1001 }, (_, time) => scale.columnOf(time));
  expect(columns).toEqual(columns.toSorted((a, b) => a - b));
  expect(Math.max(...columns)).toBeLessThan(100);
});

test("each break marks the time it stands for", () => {
  const scale = columnScale({ ...base, instants: [900, 905], emphasis: { from: 900, to: 905 } });
  for (const { from, to, column } of scale.breaks) {
    expect(scale.columnOf(from)).toBeLessThanOrEqual(column);
    expect(scale.columnOf(to)).toBeGreaterThanOrEqual(column);
  }
});

test("ticks stand at round times, at their columns, far enough apart, and not where time was left out", () => {
  const scale = columnScale({ ...base, instants: [900, 905], emphasis: { from: 900, to: 905 } });
  expect(scale.ticks.length).toBeGreaterThan(3);
  scale.ticks.forEach(({ column, time }, index) => {
    expect(scale.columnOf(time)).toBe(column);
    expect(scale.breaks.some(({ from, to }) => time > from && time < to)).toBe(false);
    if (index > 0) expect(column - (scale.ticks[index - 1]?.column ?? 0)).toBeGreaterThanOrEqual(9);
  });
});

test("a short stretch between two breaks has a tick too, where the ticks beside it leave room", () => {
  const ms = 1e6;
  const scale = columnScale({
    window: { from: 0, to: 1953 * ms },
    columns: 85,
    instants: [0.26, 0.86, 1039.8, 1951.3, 1952.3].map((time) => time * ms),
    emphasis: { from: 1951.3 * ms, to: 1952.3 * ms },
    tickDistance: 9,
  });
  const [first, second] = scale.breaks;
  if (first === undefined || second === undefined) throw new Error("there are two breaks");
  const between = scale.ticks.filter(({ time }) => time >= first.to && time <= second.from);
  expect(between).toHaveLength(1);
  expect(between[0]?.time).toBeCloseTo(1040 * ms, -6);
  for (const { time, step } of scale.ticks) expect(time % step).toBe(0);
});

test.each([
  [1, 1],
  [1.1, 2],
  [3, 5],
  [7, 10],
  [23, 50],
  [60_001, 100_000],
])("the round step for at least %d is %d", (least, step) => {
  expect(roundStep(least)).toBe(step);
});

test("where an instant must be seen, no moment is pressed against another by an empty stretch", () => {
  const instants = [182_000, 2_400_000_000, 2_404_421_000, 2_592_496_000, 3_346_892_000, 4_564_421_000];
  const emphasis = { from: 3_346_892_000, to: 3_346_892_000 };
  const scale = columnScale({ ...base, window: { from: 0, to: 4_700_153_630 }, columns: 88, instants, emphasis });
  // No break stands beside a moment.
  for (const { from, to } of scale.breaks) expect(instants.filter((time) => time === from || time === to)).toEqual([]);
  const apart = (from: number, to: number): number => scale.columnOf(to) - scale.columnOf(from);
  expect(apart(2_592_496_000, 3_346_892_000)).toBeGreaterThan(9);
  expect(apart(3_346_892_000, 4_564_421_000)).toBeGreaterThan(9);
});
