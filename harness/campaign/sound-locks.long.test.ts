// @module-tag long
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "./run-simulated.ts";
import { faults } from "../../faults/registry.ts";
import { locks } from "../../lock-impl/registry.ts";
import { contentionPlans } from "../../workloads/contention.ts";
import { isSimulated, topologySchema } from "../core/topology.ts";
import { runCampaign } from "./run-campaign.ts";
import { knownToBreak, requiredProperties } from "./required-properties.ts";
import { whyNotDrawn } from "./possible-faults.ts";

const SEEDS = 5;
/** Of each seed. */
const RUNS = 12;

/**
 * `LOCKSTORM_SOUND_SEED` repeats a printed seed. Fresh seeds find what chosen seeds do not; a CI has the same ones each
 * time, so that it fails for a change only.
 */
const { LOCKSTORM_SOUND_SEED, CI } = process.env;
const base = Number(LOCKSTORM_SOUND_SEED ?? (CI === undefined ? randomInt(1_000_000_000) : 1));
console.log(`sound locks are hunted with the seeds ${base} to ${base + SEEDS - 1}`);

const sound = locks
  .filter(
    ({ flawed, limits }) =>
      !flawed && !limits.some(({ under, property }) => under === "none" && property !== "mutual-exclusion"),
  )
  .flatMap((lock) => lock.topologies.filter(isSimulated).map((kind) => [lock.name, kind, lock] as const));

test("there are sound locks on every topology of the simulation", () => {
  expect(new Set(sound.map(([, kind]) => kind)).size).toBe(3);
  expect(sound.length).toBeGreaterThan(12);
});

test.each(sound)("%s on %s keeps what it claims, with five seeds", async (name, kind, { persistence, supports }) => {
  const topology = topologySchema.parse({ kind, ...(persistence === undefined ? {} : { persistence }) });
  const possible = faults.filter((fault) => whyNotDrawn(fault, topology) === undefined);
  for (let seed = base; seed < base + SEEDS; seed += 1) {
    const { counterexample, runs } = await runCampaign({
      plans: contentionPlans({ lock: name, topology, faults: possible, retries: true, supports }),
      seed,
      runs: RUNS,
      shrinkRuns: 0,
      execute: async (plan) => {
        // A library's claims are those of the recipe it names; its limits list which of them it is known to break.
        const known = knownToBreak(plan);
        const required = requiredProperties(plan).filter((property) => !known.has(property));
        const run = await runSimulated(plan, { title: name, required });
        return { ...run, verdict: run.record.verdict };
      },
    });
    const { required = [], properties = {} } = counterexample?.run.verdict ?? {};
    const broken = required.filter((property) => properties[property]?.verdict === "invalid");
    expect({ seed, broken, plan: counterexample?.run.plan }).toEqual({ seed, broken: [], plan: undefined });
    expect(runs).toBe(RUNS);
  }
});
