import { expect, test } from "vitest";
import { HistoryBuilder } from "../../testdata/history-builder.ts";
import { clockStepsOf } from "./clock-steps.ts";
import { collectFaults } from "../fault-spans.ts";

test("clocks step by what the history says, on every process that was hit", () => {
  const h = new HistoryBuilder({});
  h.fault(5, "clock-jump", ["node-1"], "seen", { byMs: 100 });
  h.fault(9, "clock-jump", ["node-2", "node-3"], "seen", { byMs: -50 });
  h.fault(12, "clock-jump", ["node-4"], "not done", { outcome: "skipped", byMs: 7 });
  h.fault(13, "clock-jump", ["node-4"], "of a history that does not say by how much");
  expect(clockStepsOf(collectFaults(h.build().events, 20e6))).toEqual([
    { lane: "node-1", time: 5e6, offset: 100e6 },
    { lane: "node-2", time: 9e6, offset: -50e6 },
    { lane: "node-3", time: 9e6, offset: -50e6 },
  ]);
});
