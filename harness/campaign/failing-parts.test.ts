import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "../core/plan.ts";
import { plan } from "../run/testing/plans.ts";
import { type CampaignOptions, runCampaign, type Judged } from "./run-campaign.ts";

/** Of the parts of a failing plan, which differ from it by their seed, the third one fails as well. */
const PARTS = [11, 12, 13, 14];
const FAILING_PART = 13;

const campaign = (options: Partial<CampaignOptions<Judged>> = {}) => {
  const ran: number[] = [];
  const judged = async (tried: Plan): Promise<Judged> => {
    ran.push(tried.seed);
    const verdict = tried.seed === FAILING_PART || (tried.seed === 1 && tried.limitMs >= 4321) ? "invalid" : "valid";
    return { plan: tried, verdict: { verdict, required: [], properties: {}, reasons: [], remarks: [] } };
  };
  const result = runCampaign({
    plans: fc.integer({ min: 1, max: 1_000_000 }).map((limitMs) => plan({ limitMs, seed: 1 })),
    seed: 7,
    runs: 200,
    shrinkRuns: 1000,
    execute: judged,
    attempt: judged,
    partsOf: (run) => PARTS.map((seed) => ({ ...run.plan, seed })),
    ...options,
  });
  return { ran, result };
};

test("the first part of a failing plan that fails as well is shrunk instead, and its path leads to it again", async () => {
  const { ran, result } = campaign();
  const { counterexample, runs } = await result;
  expect(counterexample?.run.plan.seed).toBe(FAILING_PART);
  expect(ran.slice(runs)).toEqual([11, 12, 13]);
  expect(counterexample?.shrinks).toBe(3);
  const again = await campaign({ path: counterexample?.path }).result;
  expect(again.counterexample?.run.plan).toEqual(counterexample?.run.plan);
  expect(again.counterexample?.path).toBe(counterexample?.path);
  const unshrunk = await campaign({ path: counterexample?.path, shrinkRuns: 0 }).result;
  expect(unshrunk.counterexample?.run.plan).toEqual(counterexample?.run.plan);
});

test("all parts are tried, and none where nothing is shrunk", async () => {
  const few = campaign({ shrinkRuns: 2 });
  const { counterexample, runs } = await few.result;
  expect(counterexample?.run.plan.seed).toBe(FAILING_PART);
  expect(few.ran.slice(runs)).toEqual([11, 12, 13]);
  const none = campaign({ shrinkRuns: 0 });
  expect((await none.result).counterexample?.run.plan.seed).toBe(1);
  expect(none.ran).not.toContain(11);
  const kept = campaign({ regressions: [plan({ limitMs: 5000, seed: 1 })] });
  expect((await kept.result).counterexample?.run.plan).toEqual(plan({ limitMs: 5000, seed: 1 }));
  expect(kept.ran).toEqual([1]);
});

test("a plan of which no part fails is shrunk itself", async () => {
  const { counterexample } = await campaign({ partsOf: (run) => [{ ...run.plan, seed: 11 }] }).result;
  expect(counterexample?.run.plan).toMatchObject({ seed: 1, limitMs: 4321 });
});
