// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashRing } from "../../lock-impl/alternatives/hash-ring.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { describeWithEngine } from "../containers/testing/engine-required.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type PlanInput } from "../core/plan.ts";
import { PROPERTIES } from "../core/verdict.ts";
import { requiredProperties } from "./required-properties.ts";
import { runOnContainers } from "./run-on-containers.ts";

const KEY = "k1";
const HOME = `node-${hashRing(["node-0", "node-1", "node-2", "node-3", "node-4"])(KEY)[0]}`;
const LONG_MS = 30_000;

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

type Fault = Pick<PlanInput["faults"][number], "kind" | "params">;

/**
 * Client 0 holds until client 1 has its answer, and a little longer. The fault begins when client 0 has the lock, client
 * 1 asks under it, and it ends with client 0's hold.
 */
async function run(lock: string, answer: "acquire:ok" | "acquire:info", fault: Fault): Promise<RunRecord> {
  const plan = planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock,
    topology: { kind: "redlock" },
    clients: [
      {
        sections: [
          {
            key: KEY,
            ttlMs: LONG_MS,
            waitMs: 0,
            steps: [
              { do: "await", until: { on: answer, client: 1 }, atMostMs: 20_000 },
              { do: "hold", forMs: 100 },
            ],
          },
        ],
      },
      {
        sections: [
          {
            key: KEY,
            ttlMs: LONG_MS,
            waitMs: 0,
            after: { on: "fault:start", fault: 0 },
            steps: [{ do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 20_000 }],
          },
        ],
      },
    ],
    faults: [{ ...fault, at: { on: "acquire:ok", client: 0 }, until: { on: "release:invoke", client: 0 } }],
  });
  const { record } = await runOnContainers(plan, {
    store,
    title: lock,
    required: requiredProperties(plan),
  });
  return record;
}

const FAULTS: readonly Fault[] = [
  { kind: "partition", params: { between: [["client-1"], [HOME]] } },
  { kind: "pause-node", params: { targets: [HOME] } },
];

describeWithEngine("a lock that lives on one of five masters, on real servers", () => {
  test.each(FAULTS.map((fault) => [fault.kind, fault] as const))(
    "is in two places under %s, when keys move",
    async (_, fault) => {
      const { properties, required } = (await run("consistent-hash", "acquire:ok", fault)).verdict;
      expect(required).not.toContain("lease-exclusion");
      expect(properties["lease-exclusion"]?.violations).toEqual([
        expect.objectContaining({ cause: "double-grant", explanation: expect.stringContaining("in two places") }),
      ]);
    },
  );

  test.each(FAULTS.map((fault) => [fault.kind, fault] as const))(
    "is not to be had under %s, when they do not",
    async (_, fault) => {
      const { verdict } = await run("consistent-hash-strict", "acquire:info", fault);
      expect(verdict).toMatchObject({ verdict: "valid", required: expect.arrayContaining(["lease-exclusion"]) });
      expect(PROPERTIES.filter((property) => verdict.properties[property]?.verdict === "invalid")).toEqual([]);
    },
  );
});
