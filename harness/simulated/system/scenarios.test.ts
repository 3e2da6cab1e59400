import { describe, expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import { differences } from "../../../workloads/scenario-outcome.ts";
import { planOf, requiredOf, variantsOf } from "../../../workloads/scenario.ts";
import { judge, runSimulated } from "./testing/simulated-run.ts";

const SEEDS = [1, 2, 3];

describe.each(catalogue.map((scenario) => [scenario.slug, scenario] as const))("%s", (_, scenario) => {
  test.each(variantsOf(scenario))("comes out as the catalogue says: %s", async (variant) => {
    for (const seed of SEEDS) {
      // Descent is checked: no code of one host may run in another's step.
      const run = await runSimulated(planOf(scenario, { seed, variant }), { checkDescent: seed === 1 });
      const verdict = judge(run, requiredOf(scenario, variant));
      expect(differences(scenario, variant, { verdict, history: run.history })).toEqual([]);
      expect(run.end).toBe("completed");
    }
  });
});
