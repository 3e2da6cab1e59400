import { existsSync, mkdirSync, writeFileSync } from "node:fs";
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

test("a lock that counts in seconds is asked for leases of whole seconds", { tags: "long" }, async () => {
  const store = fresh();
  const lock = join(mkdirSync(store, { recursive: true }) ?? store, "a.worker.json");
  const worker = join(import.meta.dirname, "../../external/testing/worker.py");
  const command = { program: "python3", arguments: [worker, "seconds"] };
  writeFileSync(lock, JSON.stringify({ command, topologies: ["single"] }));
  const plainDel = catalogue.find(({ slug }) => slug === "plain-del")!;
  const { record } = await reproduce(plainDel, { backend: "live", lock, variant: "no-faults" }, { store });
  expect(record.plan?.clients[0]?.sections[0]?.ttlMs).toBe(1000);
  expect(record.verdict.verdict).toBe("valid");
});

test("the catalogue says nothing of another lock, or of other properties", async () => {
  const options = { backend: "simulated", required: ["fencing-tokens"] } as const;
  const { differences, record } = await reproduce(scenario, { ...options, lock: "fenced" }, { store: fresh() });
  expect(differences).toBeUndefined();
  expect(record.plan?.lock).toBe("fenced");
  expect(record.verdict.required).toEqual(["fencing-tokens"]);
});
