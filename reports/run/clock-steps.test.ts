import { expect, test } from "vitest";
import { planSchema } from "../../harness/core/plan.ts";
import { clockStepsOf } from "./clock-steps.ts";
import { collectFaults } from "./fault-spans.ts";
import { HistoryBuilder } from "../testdata/history-builder.ts";

const h = new HistoryBuilder({});
h.fault(5, "clock-jump", ["node-1"], "seen");
h.fault(9, "clock-jump", ["node-2", "node-3"], "seen");
h.fault(12, "clock-jump", ["node-4"], "not done", { outcome: "skipped" });
const faults = collectFaults(h.build().events, 20e6);

function planWith(...jumps: readonly { targets: string[]; byMs: number }[]) {
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "single",
    topology: { kind: "redlock" },
    clients: [{ sections: [] }],
    faults: jumps.map((params) => ({ kind: "clock-jump", params, at: { atMs: 1 } })),
  });
}

test("a jump that names the same targets says how far", () => {
  const plan = planWith({ targets: ["node-1"], byMs: 100 }, { targets: ["node-2", "node-3"], byMs: -50 });
  expect(clockStepsOf(faults, plan)).toEqual([
    { lane: "node-1", time: 5e6, offset: 100e6 },
    { lane: "node-2", time: 9e6, offset: -50e6 },
    { lane: "node-3", time: 9e6, offset: -50e6 },
  ]);
});

test("targets by role are no matter where all jumps are alike, and no step where they differ", () => {
  expect(clockStepsOf(faults, planWith({ targets: ["masters"], byMs: 7 }))).toHaveLength(3);
  expect(clockStepsOf(faults, planWith({ targets: ["masters"], byMs: 7 }, { targets: ["nodes"], byMs: 8 }))).toEqual(
    [],
  );
  expect(clockStepsOf(faults, undefined)).toEqual([]);
});
