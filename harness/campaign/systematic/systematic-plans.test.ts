import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "./learn.ts";
import { faultsFor } from "../possible-faults.ts";
import { requiredProperties } from "../required-properties.ts";
import { topologySchema } from "../../core/topology.ts";
import { systematicPlans } from "./systematic-plans.ts";

test("a fault comes in the way under which the lock promises more, and less often in the other", async () => {
  const topology = topologySchema.parse({ kind: "single", persistence: "always" });
  const { plans } = await systematicPlans({
    drawnFrom: { lock: "single", topology, faults: faultsFor(["restart-node"], "simulated", topology) },
    seed: 1,
    learn: learnSimulated(),
    skills: { extends: false, reenters: false },
    promises: (plan) => requiredProperties(plan).length,
    most: 60,
  });
  const restarts = [...plans].flatMap((plan) => plan.faults.map(({ params }) => params["keepData"]));
  const times = (keepData: boolean): number => restarts.filter((each) => each === keepData).length;
  expect(times(false)).toBeGreaterThan(0);
  expect(times(true)).toBeGreaterThan(times(false));
});

test("each workload has deviations among the first", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const { plans } = await systematicPlans({
    drawnFrom: { lock: "reentrant", topology, faults: faultsFor(["reset"], "simulated", topology), maxHoldShare: 1.3 },
    seed: 1,
    learn: learnSimulated(),
    skills: { extends: true, reenters: true },
    promises: () => 1,
    most: 100,
  });
  const all = [...plans];
  const workloads = all.filter(({ faults }) => faults.length > 0).map(({ clients }) => JSON.stringify(clients));
  expect(new Set(workloads).size).toBe(26);
  expect(new Set(all.map((plan) => JSON.stringify(plan))).size).toBe(all.length);
});
