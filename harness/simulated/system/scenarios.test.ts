import { describe, expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import { differences, foundOf } from "../../../workloads/scenario-outcome.ts";
import { planOf, requiredOf, variantsOf } from "../../../workloads/scenario.ts";
import { judge, runSimulated } from "./testing/simulated-run.ts";

const SEEDS = [1, 2, 3];

describe.each(catalogue.map((scenario) => [scenario.slug, scenario] as const))("%s", (_, scenario) => {
  test.each(variantsOf(scenario))("comes out as the catalogue says: %s", { tags: "long" }, async (variant) => {
    for (const seed of SEEDS) {
      // Descent is checked: no code of one host may run in another's step.
      const run = await runSimulated(planOf(scenario, { seed, variant }), { checkDescent: seed === 1 });
      const verdict = judge(run, requiredOf(scenario, variant));
      expect(differences(scenario, variant, { verdict, history: run.history })).toEqual([]);
      expect(run.end).toBe("completed");
    }
  });
});

/** The observed behaviour of these library versions on real servers. */
describe("of the libraries that people use", () => {
  test.each([
    ["bad-elapsed-check", "redlock5", "lease-exclusion", "expired-grant"],
    ["bad-elapsed-check", "redlock4", "lease-exclusion", "valid"],
    ["bad-elapsed-check", "redis-semaphore-redlock", "mutual-exclusion", "overrun"],
    ["watchdog-silent", "redis-semaphore", "mutual-exclusion", "overrun"],
  ] as const)("%s with %s: %s is %s", async (slug, lock, property, found) => {
    const scenario = catalogue.find((each) => each.slug === slug);
    if (scenario === undefined) throw new Error(`there is no scenario ${slug}`);
    const run = await runSimulated(planOf(scenario, { seed: 1, lock }));
    expect(foundOf(judge(run, [property]), property)).toBe(found);
  });
});
