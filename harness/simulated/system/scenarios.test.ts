import { describe, expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import { planOf } from "../../../workloads/scenario.ts";
import type { Property } from "../../core/verdict.ts";
import { judge, runSimulated } from "./testing/simulated-run.ts";

const SEEDS = [1, 2, 3, 4, 5];

describe.each(catalogue.map((scenario) => [scenario.slug, scenario] as const))("%s", (_, scenario) => {
  const properties = Object.keys(scenario.expected) as Property[];

  test.each(SEEDS)("comes out as the catalogue says, with its cause (seed %i)", async (seed) => {
    // Descent is checked: no code of one host may run in another's step.
    const run = await runSimulated(planOf(scenario, { seed }), { checkDescent: true });
    const verdict = judge(run, properties);
    expect(verdict.reasons).toEqual([]);
    expect(run.end).toBe("completed");
    for (const property of properties) {
      expect([property, verdict.properties[property]?.verdict]).toEqual([property, scenario.expected[property]]);
      const causes = verdict.properties[property]?.violations.map(({ cause }) => cause) ?? [];
      expect(new Set(causes)).toEqual(new Set(scenario.expected[property] === "invalid" ? [scenario.cause] : []));
    }
    const faults = run.history.events.filter((event) => event.type === "fault");
    for (const { f, value } of faults) expect([f, value.outcome]).toEqual([f, "installed"]);
  });

  test.each(SEEDS)("is valid without its faults (seed %i)", async (seed) => {
    const run = await runSimulated(planOf(scenario, { seed, faults: false }));
    expect(judge(run, properties)).toMatchObject({ verdict: "valid", reasons: [] });
    expect(run.end).toBe("completed");
  });
});
