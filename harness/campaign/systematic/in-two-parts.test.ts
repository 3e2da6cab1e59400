import fc from "fast-check";
import { expect, test } from "vitest";
import { plan } from "../../run/testing/plans.ts";
import { type CampaignOptions, type Judged, runCampaign } from "../run-campaign.ts";
import { inTwoParts } from "./in-two-parts.ts";

const plansOf = (from: number, length: number) => Array.from({ length }, (_, index) => plan({ limitMs: from + index }));
const first = plansOf(101, 6);
const second = plansOf(201, 4);

interface Ran {
  readonly limits: number[];
  readonly counts: unknown[];
  readonly options: CampaignOptions<Judged>;
}

/** A campaign that finds plans with one of these limits, and what it ran. */
function campaign(failing: readonly number[], more: Partial<CampaignOptions<Judged>> = {}): Ran {
  const limits: number[] = [];
  const counts: unknown[] = [];
  const options: CampaignOptions<Judged> = {
    first,
    plans: fc.integer({ min: 1000, max: 9999 }).map((limitMs) => plan({ limitMs })),
    seed: 3,
    runs: 20,
    shrinkRuns: 50,
    execute: async (plan) => {
      limits.push(plan.limitMs);
      const verdict = failing.includes(plan.limitMs) ? "invalid" : "valid";
      return { plan, verdict: { verdict, required: [], properties: {}, reasons: [], remarks: [] } };
    },
    onRun: (_, count) => counts.push(count),
    ...more,
  };
  return { limits, counts, options };
}

const never = (): never => expect.unreachable();

test.each([
  ["nothing", [], {}],
  ["something in the first part", [103], {}],
  ["something in the second part", [202], {}],
  ["nothing, of a shard", [], { isMine: (position: number) => position % 3 === 1 }],
  ["nothing, after regressions", [], { regressions: plansOf(51, 2) }],
  ["something in a regression", [52], { regressions: plansOf(51, 2) }],
  ["something, with several plans at a time", [203], { parallel: 4 }],
] as const)("a campaign that finds %s is as if it were one", async (_, failing, more) => {
  const [parts, whole] = [campaign(failing, more), campaign(failing, more)];
  const result = await inTwoParts(parts.options, async () => second);
  expect(result).toEqual(await runCampaign({ ...whole.options, first: [...first, ...second] }));
  expect(parts.counts).toEqual(whole.counts);
  if (parts.options.parallel === undefined) expect(parts.limits).toEqual(whole.limits);
});

test("a path leads to a plan of either part", async () => {
  for (const failing of [102, 204]) {
    const found = campaign([failing]);
    const { counterexample } = await inTwoParts(found.options, async () => second);
    const again = campaign([failing], { path: counterexample?.path ?? expect.unreachable() });
    const { counterexample: same } = await inTwoParts(again.options, failing === 102 ? never : async () => second);
    expect(same?.run.plan.limitMs).toBe(failing);
  }
});

test("the second part is made only if it is needed", async () => {
  await inTwoParts(campaign([105]).options, never);
  await inTwoParts(campaign([], { runs: 6 }).options, never);
  await inTwoParts(campaign([], { budgetMs: 0 }).options, never);
});

test("a campaign that is interrupted while the second part is made was cut short", async () => {
  const interruption = new AbortController();
  const { options } = campaign([], { signal: interruption.signal });
  const result = await inTwoParts(options, async () => {
    interruption.abort();
    throw new Error("interrupted");
  });
  expect(result).toMatchObject({ runs: 6, valid: 6, cutShort: true });
  await expect(inTwoParts(campaign([]).options, async () => Promise.reject(new Error("broken")))).rejects.toThrow(
    "broken",
  );
});
