import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import { differences } from "../../../workloads/scenario-outcome.ts";
import { planOf, requiredOf, type Variant } from "../../../workloads/scenario.ts";
import { runOnContainers } from "../run-on-containers.ts";

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

/** Runs a scenario of the catalogue on real servers. */
export async function runScenario(slug: string, choices: { readonly variant?: Variant; readonly lock?: string } = {}) {
  const scenario = catalogue.find((each) => each.slug === slug);
  if (scenario === undefined) throw new Error(`there is no scenario ${slug}`);
  const { record } = await runOnContainers(planOf(scenario, { seed: 1, ...choices }), {
    store,
    title: slug,
    required: requiredOf(scenario, choices.variant ?? "schedule"),
  });
  return { scenario, record };
}

/** The three tests of a scenario: its schedule, its control, and its schedule without faults. */
export function testScenario(slug: string): void {
  test.each(["schedule", "control", "no-faults"] as const)("comes out as the catalogue says: %s", async (variant) => {
    const { scenario, record } = await runScenario(slug, { variant });
    expect(differences(scenario, variant, record)).toEqual([]);
  });
}
