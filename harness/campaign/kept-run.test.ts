import { expect, test } from "vitest";
import { catalogue } from "../../workloads/catalogue.ts";
import { planOf, requiredOf } from "../../workloads/scenario.ts";
import { readKeptRun } from "./kept-run.ts";
import { keepSimulated, proveSimulated, runSimulated } from "./run-simulated.ts";
import { freshStores } from "./testing/results.ts";

const fresh = freshStores();

test("a run that was kept is read as it was", async () => {
  const [scenario] = catalogue;
  if (scenario === undefined) throw new Error("the catalogue is empty");
  const required = requiredOf(scenario, "schedule");
  const run = await proveSimulated(await runSimulated(planOf(scenario, { seed: 1 }), { title: "a run", required }));
  const { record, folder } = keepSimulated(run, fresh());
  expect(await readKeptRun(folder)).toEqual(record);
});
