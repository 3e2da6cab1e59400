import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import { expectSilence, freshStores } from "../testing/results.ts";
import { reproduce } from "./reproduce.ts";

const fresh = freshStores();
expectSilence();

const scenario = catalogue.find(({ slug }) => slug === "pause-past-lease");
if (scenario === undefined) throw new Error("there is no such scenario");

test.each(["schedule", "control", "no-faults"] as const)("a scenario comes out as expected: %s", async (variant) => {
  const store = fresh();
  const { differences, record, folder } = await reproduce(scenario, { backend: "simulated", variant }, { store });
  expect(differences).toEqual([]);
  expect(record.about?.source).toEqual(scenario.source);
  expect(existsSync(join(folder, "plan.json"))).toBe(true);
});

test("the catalogue says nothing of another lock, or of other properties", async () => {
  const options = { backend: "simulated", required: ["fencing-tokens"] } as const;
  const { differences, record } = await reproduce(scenario, { ...options, lock: "fenced" }, { store: fresh() });
  expect(differences).toBeUndefined();
  expect(record.plan?.lock).toBe("fenced");
  expect(record.verdict.required).toEqual(["fencing-tokens"]);
});
