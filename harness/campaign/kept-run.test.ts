import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../workloads/catalogue.ts";
import { planOf, requiredOf } from "../../workloads/scenario.ts";
import { keepRecurring, readKeptRun } from "./kept-run.ts";
import { keepSimulated, proveSimulated, runSimulated, type SimulatedRun } from "./run-simulated.ts";
import { freshStores } from "./testing/results.ts";

const fresh = freshStores();

/** A run that broke its lock. */
async function brokenRun(): Promise<SimulatedRun> {
  const [scenario] = catalogue;
  if (scenario === undefined) throw new Error("the catalogue is empty");
  const required = requiredOf(scenario, "schedule");
  return proveSimulated(await runSimulated(planOf(scenario, { seed: 1 }), { title: "a run", required }));
}

test("a run that was kept is read as it was", async () => {
  const { record, folder } = keepSimulated(await brokenRun(), fresh());
  expect(await readKeptRun(folder)).toEqual(record);
});

test("a counterexample that cannot be drawn or completed is told all the same", async () => {
  const kept = keepSimulated(await brokenRun(), fresh());
  const recurrence = { otherSeeds: { of: 20, failed: 20 } };
  const keep = () => kept;
  for (const name of ["report.html", "recurrence.json"]) {
    const blocked = join(kept.folder, name);
    rmSync(blocked, { force: true });
    mkdirSync(join(blocked, "taken"), { recursive: true });
    const told = new RegExp(`${name} cannot be written: .*, and the verdict of the run is invalid$`);
    expect(() => keepRecurring({ keep }, recurrence, () => "page")).toThrow(told);
  }
});
