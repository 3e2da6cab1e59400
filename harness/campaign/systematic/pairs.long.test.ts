// @module-tag long
import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "./learn.ts";
import { runSimulated } from "../run-simulated.ts";
import { faultsFor } from "../possible-faults.ts";
import { topologySchema } from "../../core/topology.ts";
import type { Plan } from "../../core/plan.ts";
import { type Base, deadlinesOf } from "../../../workloads/deviations/base.ts";
import { smallWorkloads } from "../../../workloads/deviations/workloads.ts";
import { type PairOptions, pairsOf } from "./pairs.ts";
import { skillsOf, systematicPlans } from "./systematic-plans.ts";

async function optionsFor(
  lock: string,
  kind: "single" | "redlock",
  { most, kinds }: { readonly most: number; readonly kinds: readonly string[] },
): Promise<PairOptions> {
  const topology = topologySchema.parse({ kind });
  const skills = { extends: false, reenters: false };
  const workloads = smallWorkloads({ lock, topology, fencing: true, seed: 4, outlives: true }, skills);
  const learn = learnSimulated();
  const bases: Base[] = [];
  for (const { name, plan } of workloads.filter((each) => each.name === "in turn")) {
    const lesson = await learn(plan);
    bases.push({ name, plan, ...lesson, deadlines: deadlinesOf(plan, lesson.history) });
  }
  const faults = faultsFor(kinds, "simulated", topology);
  return { bases, faults, learn, promises: () => 1, most };
}

/** When the faults of a run began, or undefined where one never came. */
async function startsOf(plan: Plan): Promise<readonly (number | undefined)[]> {
  const { record } = await runSimulated(plan, { title: "", required: [], checkers: [] });
  return plan.faults.map(
    (_, step) =>
      record.history.events.find(
        (event) => event.type === "fault" && event.value.phase === "start" && event.value.step === step,
      )?.time,
  );
}

test("the second deviation strikes when the first is over, and both come", async () => {
  const plans = await pairsOf(await optionsFor("single", "single", { most: 30, kinds: ["partition"] }));
  expect(plans).toHaveLength(30);
  for (const plan of plans) {
    const [first, second, ...more] = await startsOf(plan);
    expect(more).toEqual([]);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(second).toBeGreaterThan(first ?? Infinity);
  }
});

test("a vote that was lost once and is missed later breaks fencing tokens that are the largest of all counts", async () => {
  const plans = await pairsOf(await optionsFor("fence-max-of-incr", "redlock", { most: 30, kinds: ["partition"] }));
  let plan: Plan | undefined;
  for (const each of plans) {
    const { record } = await runSimulated(each, { title: "", required: ["fencing-tokens"] });
    if (record.verdict.verdict === "invalid") plan ??= each;
    if (plan !== undefined) break;
  }
  if (plan === undefined) expect.unreachable("no pair breaks it");
  for (const index of plan.faults.keys()) {
    const single = { ...plan, faults: plan.faults.toSpliced(index, 1) };
    const { record } = await runSimulated(single, { title: "", required: ["fencing-tokens"] });
    // The second may wait for a message that comes only because of the first.
    expect(record.verdict.verdict).not.toBe("invalid");
  }
});

test("with all workloads and faults too it is among the first pairs", async () => {
  const topology = topologySchema.parse({ kind: "redlock" });
  const faults = faultsFor(undefined, "simulated", topology);
  const learn = learnSimulated();
  const drawnFrom = { lock: "fence-max-of-incr", topology, faults, maxHoldShare: 2 };
  // A seed whose random numbers once kept all telling pairs beyond the first thousand.
  const learning = { drawnFrom, seed: 2_300_000_005, learn };
  const skills = await skillsOf(learning);
  const { bases } = await systematicPlans({ ...learning, skills, promises: () => 1, most: 0 });
  const plans = await pairsOf({ bases, faults, learn, promises: () => 1, most: 40 });
  const verdicts: string[] = [];
  for (const plan of plans) {
    const { record } = await runSimulated(plan, { title: "", required: ["fencing-tokens"] });
    verdicts.push(record.verdict.verdict);
    if (record.verdict.verdict === "invalid") break;
  }
  expect(verdicts.at(-1)).toBe("invalid");
});

test("the same options give the same pairs, and what the lock promises nothing under is left out", async () => {
  const options = await optionsFor("single", "single", { most: 20, kinds: ["reset", "pause-client"] });
  const plans = await pairsOf(options);
  expect(await pairsOf(options)).toEqual(plans);
  const onlyOne = (plan: Plan): number => (new Set(plan.faults.map(({ kind }) => kind)).size === 1 ? 1 : 0);
  const some = await pairsOf({ ...options, promises: onlyOne });
  expect(some).toHaveLength(20);
  expect(some.every((plan) => onlyOne(plan) === 1)).toBe(true);
});
