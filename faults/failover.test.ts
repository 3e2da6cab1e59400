import { expect, test } from "vitest";
import type { Evidence, SystemUnderTest } from "../harness/core/system.ts";
import { failover } from "./failover.ts";

const answered = async (evidence: Evidence) => {
  const roles = async () => ({ masters: ["node-0"], replicas: ["node-1", "node-2"] });
  return failover.read({})({ roles, requestFailover: async () => evidence } as unknown as SystemUnderTest);
};

test.each<[string, Evidence, string]>([
  ["begun", { observed: true, detail: "sentinel-0 began a failover" }, "installed"],
  ["refused, as while another one is in progress", { observed: false, refused: true, detail: "INPROG" }, "skipped"],
  ["not answered, and perhaps begun", { observed: false, detail: "timed out" }, "indeterminate"],
])("a failover that was %s", async (_, evidence, outcome) => {
  expect(await answered(evidence)).toMatchObject({ targets: ["node-0"], outcome, evidence: evidence.detail });
});
