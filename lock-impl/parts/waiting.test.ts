import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Completion } from "../../harness/core/lock-driver.ts";
import { spin } from "./waiting.ts";

const held: Completion<string> = { type: "fail", kind: "contended", reason: "held" };
const strategy = spin({ pauseMs: 20, jitterMs: 40 });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Runs the strategy against attempts that end as listed, the last one repeated for ever; returns when they began. */
async function run(waitMs: number, endings: readonly Completion<string>[], abortAfterMs?: number) {
  const startedAtMs = performance.now();
  const begunMs: number[] = [];
  const controller = new AbortController();
  if (abortAfterMs !== undefined) setTimeout(() => controller.abort(), abortAfterMs);
  const waiter = await strategy([]);
  const completion = waiter.wait("k", { waitMs, signal: controller.signal }, async () => {
    begunMs.push(performance.now() - startedAtMs);
    return endings[Math.min(begunMs.length, endings.length) - 1] ?? held;
  });
  await vi.runAllTimersAsync();
  return { completion: await completion, begunMs, tookMs: performance.now() - startedAtMs };
}

it("tries once when it may not wait", async () => {
  expect(await run(0, [held])).toMatchObject({ completion: held, begunMs: [0] });
});

it("tries again after a pause with jitter, and at last when the budget ends", async () => {
  const { completion, begunMs } = await run(200, [held]);
  expect(completion).toEqual(held);
  const pauses = begunMs.slice(1).map((at, index) => at - (begunMs[index] ?? 0));
  expect(pauses.slice(0, -1).every((pause) => pause >= 20 && pause <= 60)).toBe(true);
  expect(new Set(pauses).size).toBeGreaterThan(1);
  expect(begunMs.at(-1)).toBeCloseTo(200, 0);
});

it("ends with the first grant", async () => {
  const granted: Completion<string> = { type: "ok", value: "granted" };
  const { completion, begunMs } = await run(1_000, [held, held, granted]);
  expect(completion).toEqual(granted);
  expect(begunMs).toHaveLength(3);
});

it("does not try again when nobody knows how a try ended", async () => {
  const lost: Completion<string> = { type: "info", reason: "timed out" };
  expect(await run(1_000, [held, lost, held])).toMatchObject({ completion: lost, begunMs: [0, expect.anything()] });
});

it("stops waiting when it is aborted", async () => {
  const { completion, begunMs } = await run(10_000, [held], 5);
  expect(completion).toEqual(held);
  expect(begunMs).toEqual([0]);
});
