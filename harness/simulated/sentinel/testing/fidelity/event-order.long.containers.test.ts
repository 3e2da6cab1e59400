import { expect, test } from "vitest";
import { describeWithEngine } from "../../../../containers/testing/engine-required.ts";
import { unexplained, type EventScript } from "./event-script.ts";
import { runRealScenario } from "./real-run.ts";
import { SCENARIOS } from "./scenarios.ts";
import { runSimulatedScenario } from "./simulated-run.ts";

const SEEDS = 100;

describeWithEngine("real Sentinels", () => {
  test.each(SCENARIOS)("publish the events that simulated ones publish, in the same order: $name", async (scenario) => {
    const known: EventScript[] = [];
    for (let seed = 0; seed < SEEDS; seed += 1) known.push(...(await runSimulatedScenario(scenario, seed)).values());
    const real = [...(await runRealScenario(scenario)).values()];
    expect(real).toHaveLength(3);
    for (const script of real)
      expect({ ...script, unexplained: unexplained(script, known) }).toMatchObject({ unexplained: [] });
  });
});
