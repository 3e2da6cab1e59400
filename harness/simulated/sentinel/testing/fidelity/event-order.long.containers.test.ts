// @module-tag long
import { expect, test } from "vitest";
import { describeWithEngine } from "../../../../containers/testing/engine-required.ts";
import { KnownScripts } from "./known-scripts.ts";
import { runRealScenario } from "./real-run.ts";
import { SCENARIOS } from "./scenarios.ts";

describeWithEngine("real Sentinels", () => {
  test.each(SCENARIOS)("publish the events that simulated ones publish, in the same order: $name", async (scenario) => {
    const real = [...(await runRealScenario(scenario)).values()];
    const known = new KnownScripts(scenario);
    for (const script of real)
      expect({ ...script, unexplained: await known.unexplained(script) }).toMatchObject({ unexplained: [] });
    if (real.every(({ isWhole }) => isWhole)) expect(real).toHaveLength(3);
  });
});
