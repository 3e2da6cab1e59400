import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "../core/plan.ts";
import { PROMISABLE, type Property, type Verdict } from "../core/verdict.ts";
import { plan } from "../run/testing/plans.ts";
import { type Judged, runCampaign } from "./run-campaign.ts";

/** The limit of the smallest plan to which a search shrinks, if these properties are violated in a plan with a limit. */
async function smallestBreaking(broken: (limitMs: number) => readonly Property[]): Promise<number | undefined> {
  const execute = async (plan: Plan): Promise<Judged> => {
    const violated = broken(plan.limitMs);
    const properties = Object.fromEntries(
      violated.map((each) => [each, { verdict: "invalid", violations: [] }] as const),
    );
    const verdict: Verdict["verdict"] = violated.length === 0 ? "valid" : "invalid";
    return { plan, verdict: { verdict, required: PROMISABLE, properties, reasons: [], remarks: [] } };
  };
  const plans = fc.integer({ min: 1, max: 1_000_000 }).map((limitMs) => plan({ limitMs }));
  const { counterexample } = await runCampaign({ plans, seed: 7, runs: 200, shrinkRuns: 1000, execute });
  return counterexample?.run.plan.limitMs;
}

/** What is violated in plans with a limit of at least 4321, and in smaller ones. */
const breaking = (large: readonly Property[], small: readonly Property[]) =>
  smallestBreaking((limitMs) => (limitMs >= 4321 ? large : limitMs >= 100 ? small : []));

test("shrinking goes to no plan that says less against the lock", async () => {
  expect(await breaking(["lease-exclusion", "linearizability"], ["linearizability"])).toBe(4321);
  expect(await breaking(["owner-release"], ["deadlock-freedom"])).toBe(4321);
});

test("shrinking goes to a plan that says as much against the lock, or more", async () => {
  expect(await breaking(["lease-exclusion", "linearizability"], ["lease-exclusion"])).toBe(100);
  expect(await breaking(["lease-exclusion", "owner-release"], ["owner-release"])).toBe(100);
  expect(await breaking(["linearizability"], ["owner-release"])).toBe(100);
  expect(await breaking(["owner-release", "stale-writes"], ["stale-writes"])).toBe(100);
});
