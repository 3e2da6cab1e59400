import { mock } from "node:test";
import { afterEach, expect, test, vi } from "vitest";
import { refuseFakeTicks, refuseFakeTimers } from "./fake-timers.ts";

const nextTick = process.nextTick.bind(process);

afterEach(() => {
  process.nextTick = nextTick;
  vi.useRealTimers();
  mock.timers.reset();
});

test("real timers are accepted, beside a date that is not", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  expect(refuseFakeTimers).not.toThrow();
});

test("fake timers are refused, whoever made them", () => {
  vi.useFakeTimers();
  expect(refuseFakeTimers).toThrow("fake timers are in force");
  vi.useRealTimers();
  expect(refuseFakeTimers).not.toThrow();
  mock.timers.enable({ apis: ["setTimeout"] });
  expect(refuseFakeTimers).toThrow("fake timers are in force");
});

test("another process can be waited for beside fake timers, unless ticks are fake too", () => {
  vi.useFakeTimers();
  expect(refuseFakeTicks).not.toThrow();
  process.nextTick = Object.assign((): void => {}, { clock: {} });
  expect(refuseFakeTicks).toThrow("fake timers are in force");
});
