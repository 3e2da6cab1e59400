import { expect, test } from "vitest";
import { type EventScript, unexplained } from "./event-script.ts";
import { SCENARIOS } from "./scenarios.ts";
import { runSimulatedScenario } from "./simulated-run.ts";

test.each(SCENARIOS)("simulated Sentinels explain each other: $name", async (scenario) => {
  const known: EventScript[] = [];
  for (let seed = 0; seed < 60; seed += 1) known.push(...(await runSimulatedScenario(scenario, seed)).values());
  expect(new Set(known.map(({ role }) => role))).toEqual(new Set(["leader", "other"]));
  const others = await runSimulatedScenario(scenario, 100);
  expect([...others.values()].flatMap((script) => unexplained(script, known))).toEqual([]);
});
