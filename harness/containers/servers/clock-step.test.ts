import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { seeStepByTime } from "./clock-step.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A server whose answers take their time on the way back, and whose clock steps by `by` when it is asked to step. */
function server(answerMs: readonly number[], by: number) {
  const delays = [...answerMs];
  let off = 0;
  return {
    nowMs: async () => {
      const now = Date.now() + off;
      vi.advanceTimersByTime(delays.shift() ?? 0);
      return now;
    },
    step: async () => void (off += by),
  };
}

test.each([
  [3_600_000, [0, 0], true],
  [-7_200_000, [1, 0], true],
  // A busy machine: the time is old when it is read.
  [3_600_000, [2, 180], true],
  [1_000, [700, 20], true],
  // It may as well have stood still.
  [1_000, [1_500, 1_500], false],
])("a step of %s ms, with answers after %s ms, is seen: %s", async (ms, answerMs, observed) => {
  expect(await seeStepByTime("node-0", ms, server(answerMs, ms))).toMatchObject({ observed });
});

test.each([
  [3_600_000, 0],
  [20, 0],
  [3_600_000, 1_800_000],
  [-1_000, 1_000],
])("a step of %s ms of a clock that moves by %s ms is not seen", async (ms, by) => {
  expect(await seeStepByTime("node-0", ms, server([2, 3], by))).toMatchObject({ observed: false });
});

test("says by how much the clock was off", async () => {
  const { detail } = await seeStepByTime("node-0", 5_000, server([0, 0], 5_000));
  expect(detail).toBe("the clock of node-0 was 0 ms off, then 5,000 ms");
});
