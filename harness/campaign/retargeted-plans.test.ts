import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "../core/plan.ts";
import { plan } from "../run/testing/plans.ts";
import { runCampaign, type Judged } from "./run-campaign.ts";

const judged = (plan: Plan): Judged => {
  const verdict = plan.limitMs % 2 === 0 && plan.limitMs >= 4320 ? "invalid" : "valid";
  return { plan, verdict: { verdict, required: [], properties: {}, reasons: [], remarks: [] } };
};

/** Plans with an odd limit decide nothing until it is made even. */
const campaign = (path?: string) =>
  runCampaign({
    plans: fc.integer({ min: 1000, max: 500_000 }).map((half) => plan({ limitMs: half * 2 + 1 })),
    seed: 7,
    runs: 200,
    shrinkRuns: 1000,
    path,
    execute: async (tried) => judged(tried),
    attempt: async (tried) => ({ ...judged({ ...tried, limitMs: tried.limitMs - 1 }), runs: 2 }),
  });

test("a plan that was retargeted is the one that is shrunk, and its path leads to it again", async () => {
  const { counterexample, runs, furtherRuns } = await campaign();
  expect(furtherRuns).toBe(runs);
  expect(counterexample?.run.plan.limitMs).toBeGreaterThanOrEqual(4320);
  expect((counterexample?.run.plan.limitMs ?? 1) % 2).toBe(0);
  const again = (await campaign(counterexample?.path)).counterexample;
  expect(again?.run.plan).toEqual(counterexample?.run.plan);
  expect(again?.path).toBe(counterexample?.path);
});
