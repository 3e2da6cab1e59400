import { expect, it } from "vitest";
import { noDrift, redlockDrift, startLease } from "./lease.ts";

function clock(startMs: number) {
  let nowMs = startMs;
  return { now: () => nowMs, advance: (ms: number) => (nowMs += ms) };
}

it("counts from its start: TTL - elapsed", () => {
  const { now, advance } = clock(5_000);
  const lease = startLease(1_000, noDrift, now);
  expect(lease.remainingMs()).toBe(1_000);
  advance(300);
  expect(lease.remainingMs()).toBe(700);
});

it("allows for drift: a hundredth of the TTL and 2 ms", () => {
  const { now, advance } = clock(0);
  const lease = startLease(10_000, redlockDrift, now);
  advance(50);
  expect(lease.remainingMs()).toBe(10_000 - 50 - 102);
});

it("goes below zero when the lease is over", () => {
  const { now, advance } = clock(0);
  const lease = startLease(100, redlockDrift, now);
  advance(98);
  expect(lease.remainingMs()).toBe(-1);
});

it("trusts no more than the whole milliseconds that the server is told", () => {
  const { now } = clock(0);
  expect(startLease(99.9, noDrift, now)).toMatchObject({ ttlMs: 99 });
  expect(startLease(99.9, noDrift, now).remainingMs()).toBe(99);
  expect(startLease(0.2, noDrift, now).ttlMs).toBe(1);
});
