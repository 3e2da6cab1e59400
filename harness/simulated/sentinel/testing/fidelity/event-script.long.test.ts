// @module-tag long
import { expect, test } from "vitest";
import { KnownScripts } from "./known-scripts.ts";
import { SCENARIOS } from "./scenarios.ts";
import { runSimulatedScenario } from "./simulated-run.ts";

const UNKNOWN_SEED = 5000;

test.each(SCENARIOS)("simulated Sentinels explain each other, on a busy machine too: $name", async (scenario) => {
  const known = new KnownScripts(scenario);
  for (const stalls of [0, 2]) {
    const scripts = [...(await runSimulatedScenario(scenario, UNKNOWN_SEED, stalls)).values()];
    for (const script of scripts) expect(await known.unexplained(script)).toEqual([]);
    if (stalls === 0) expect(scripts.map(({ role }) => role).toSorted()).toEqual(["leader", "other", "other"]);
  }
});
