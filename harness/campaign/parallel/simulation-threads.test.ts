import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { faults } from "../../../faults/registry.ts";
import type { Plan } from "../../core/plan.ts";
import { planOfCheck } from "../conform/conform-driver.ts";
import type { ExecutedRun } from "../execute.ts";
import { huntSource } from "../hunt/hunt-source.ts";
import { requiredProperties } from "../required-properties.ts";
import type { CampaignResult } from "../run-campaign.ts";
import { search, type Searched } from "../search.ts";
import { learnSimulated } from "../systematic/learn.ts";
import { SimulationThreads } from "./simulation-threads.ts";

const store = mkdtempSync(join(tmpdir(), "lockstorm-threads-"));
afterAll(() => rmSync(store, { recursive: true }));

const SINGLE = { kind: "single", persistence: "none", config: {} } as const;

/** Finds what `hunt` would find, and the trace of each run on the way, in order. */
async function hunt(lock: string, runs: number, threads: number) {
  const { signal } = new AbortController();
  await using simulations = new SimulationThreads({ threads, atOnce: true, store, signal });
  const traces: (string | undefined)[] = [];
  const result: CampaignResult<Searched<ExecutedRun>> = await search<ExecutedRun>({
    drawnFrom: huntSource({ lock, topology: SINGLE, faults }),
    learn: learnSimulated(),
    seed: 7,
    runs,
    shrinkRuns: 20,
    parallel: simulations.parallel,
    run: (plan: Plan, unwanted) =>
      simulations.execute(plan, { title: "hunt", required: requiredProperties(plan), store, unwanted }),
    onRun: ({ traceHash }) => traces.push(traceHash),
  });
  return { runs: result.runs, plan: result.counterexample?.run.plan, traces };
}

/** Simulates a plan of this lock in a thread of its own. */
async function simulatedInThread(lock: string): Promise<ExecutedRun> {
  const { signal } = new AbortController();
  await using simulations = new SimulationThreads({ threads: 2, atOnce: true, store, signal });
  const plan = planOfCheck({ lock, topology: SINGLE, seed: 1 });
  return await simulations.execute(plan, { title: "", required: [], store, signal });
}

describe("simulations on several threads", () => {
  test("run, find and shrink the same as one thread", { tags: "long" }, async () => {
    const alone = await hunt("get-del", 200, 1);
    expect(alone.plan).toBeDefined();
    expect(await hunt("get-del", 200, 3)).toEqual(alone);
  });

  test("say of a plan that no thread can run what this thread says", async () => {
    const driver = join(store, "throws.ts");
    writeFileSync(driver, 'throw new Error("not today");\n');
    await expect(hunt(driver, 5, 2)).rejects.toThrow("not today");
  });

  test("say of a plan that it loops in a thread", { tags: "long" }, async () => {
    vi.stubEnv("LOCKSTORM_STEP_LIMIT_MS", "300");
    const driver = join(store, "loops.mjs");
    writeFileSync(driver, "export const driver = {\n  connect: async () => {\n    for (;;);\n  },\n};\n");
    await expect(simulatedInThread(driver)).rejects.toThrow("s of processor time without waiting for anything");
    vi.unstubAllEnvs();
  });

  test("end at once when they are interrupted", { tags: "long" }, async () => {
    const interruption = new AbortController();
    await using simulations = new SimulationThreads({
      threads: 2,
      atOnce: true,
      store,
      signal: interruption.signal,
    });
    let done = 0;
    const result = await search<ExecutedRun>({
      drawnFrom: huntSource({ lock: "fenced", topology: SINGLE, faults }),
      seed: 1,
      runs: 100_000,
      shrinkRuns: 0,
      signal: interruption.signal,
      parallel: simulations.parallel,
      run: (plan) => simulations.execute(plan, { title: "", required: [], store, signal: interruption.signal }),
      onRun: () => {
        done += 1;
        if (done === 50) interruption.abort(new Error("interrupted"));
      },
    });
    expect(result.cutShort).toBe(true);
    expect(done).toBeLessThan(200);
  });
});
