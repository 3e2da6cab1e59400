import fc from "fast-check";
import { expect, test } from "vitest";
import { runSimulated } from "../harness/campaign/run-simulated.ts";
import { requiredProperties } from "../harness/campaign/required-properties.ts";
import { topologySchema } from "../harness/core/topology.ts";
import { faults } from "../faults/registry.ts";
import { contentionPlans } from "./contention.ts";

/** What runs of a fair lock say of the order of its grants. */
async function orders(makesQueues: boolean): Promise<readonly (string | undefined)[]> {
  const drawn = contentionPlans({
    lock: "fair",
    topology: topologySchema.parse({ kind: "single" }),
    faults,
    supports: { fair: true },
    makesQueues,
  });
  const verdicts: (string | undefined)[] = [];
  for (const plan of fc.sample(drawn, { seed: 5, numRuns: 40 })) {
    const { record } = await runSimulated(plan, { title: "queue", required: requiredProperties(plan) });
    verdicts.push(record.verdict.properties["first-come-first-served"]?.verdict);
  }
  return verdicts;
}

test("plans that make queues say of a fair lock whether it is", { tags: "long" }, async () => {
  const valid = (verdicts: readonly (string | undefined)[]): number =>
    verdicts.filter((verdict) => verdict === "valid").length;
  const some = await orders(false);
  const most = await orders(true);
  expect([...some, ...most]).not.toContain("invalid");
  expect(valid(most)).toBeGreaterThan(20);
  expect(valid(most)).toBeGreaterThan(valid(some) + 5);
});
