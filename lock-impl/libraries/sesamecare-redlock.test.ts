// First: libraries keep functions of the platform when they are loaded.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { expect, test } from "vitest";
import { planSchema } from "../../harness/core/plan.ts";
import { sesamecareRedlock } from "./sesamecare-redlock.ts";

/** A client alone, without a fault. */
function planFor(ttlMs: number) {
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: sesamecareRedlock.name,
    topology: { kind: "single" },
    clients: [{ sections: [{ key: "k1", ttlMs, waitMs: 0, steps: [] }] }],
    faults: [],
  });
}

test("it grants a lease that its allowance for drift has used up, which takes one of a few milliseconds", async () => {
  const judged = async (ttlMs: number) => {
    const { record } = await runSimulated(planFor(ttlMs), { title: "alone", required: ["lease-exclusion"] });
    return record.verdict.properties["lease-exclusion"];
  };
  expect(await judged(100)).toMatchObject({ verdict: "valid" });
  expect(await judged(1)).toMatchObject({ verdict: "invalid", violations: [{ cause: "expired-grant" }] });
});
