import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { topologySchema } from "../core/topology.ts";
import { expectSilence, freshStores } from "./testing/results.ts";
import { type VerificationOptions, verify } from "./verification.ts";

const fresh = freshStores();
expectSilence();

const OPTIONS: Omit<VerificationOptions, "store"> = {
  lock: "single",
  title: "a lock",
  topology: topologySchema.parse({ kind: "single" }),
  faults: ["pause-client"],
  runs: 40,
  shrinkRuns: 10,
  budgetMs: 60_000,
  seed: 1,
};

test("a verification of a lock that keeps its promise counts its runs", { tags: "long" }, async () => {
  const result = await verify({ ...OPTIONS, faults: [], runs: 18, store: fresh() });
  expect(result).toMatchObject({ seed: 1, runs: 18, valid: 18, unknown: 0, cutShort: false });
  // The small workloads, two plans, come five times before those that are drawn at random. 1 - 0.05 ** (1 / 8)
  expect(result.residualRisk).toMatchObject({ runs: 8, valid: 8, atMost: expect.closeTo(0.312, 3) });
  expect(result.counterexample).toBeUndefined();
});

test("a verification of a lock that breaks gives the run with its causes proven, and a regression that runs first", async () => {
  const store = fresh();
  const asked = { ...OPTIONS, required: ["mutual-exclusion"] as const, store, replayCommand: "again" };
  const { counterexample } = await verify(asked, { drawRun: ({ replayCommand }) => `by ${replayCommand}` });
  const [violation] = counterexample?.record.verdict.properties["mutual-exclusion"]?.violations ?? [];
  expect(violation?.proof).toBeDefined();
  expect(counterexample?.record.replayCommand).toBe("again");
  for (const file of ["plan.json", "history.jsonl", "report.html"]) {
    expect(existsSync(join(counterexample?.folder ?? "", file))).toBe(true);
  }
  const again = await verify(asked);
  expect(again.runs).toBe(1);
  expect(again.counterexample?.path).toBeUndefined();
  expect(again.counterexample?.regression).toBe(counterexample?.regression);
});
