import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { UserError } from "../../core/errors.ts";
import { readKeptRun } from "../kept-run.ts";
import { freshStores, HeardProgress } from "../testing/results.ts";
import { explore } from "./explore.ts";
import type { ExploreOptions } from "./explore-options.ts";
import { smallWorkload } from "./testing/small-workload.ts";

const fresh = freshStores();

const SOUND: ExploreOptions = {
  lock: "single",
  faults: ["kill-client", "reset"],
  workload: smallWorkload("single", "single"),
  threads: 1,
};
const FLAWED: ExploreOptions = {
  ...SOUND,
  lock: "set-px",
  faults: ["pause-client"],
  workload: smallWorkload("set-px", "single"),
};

/** Until the end of the block, every time-out is this signal: a test says when the budget is used up. */
function onTimeout(signal: AbortSignal): Disposable {
  const spy = vi.spyOn(AbortSignal, "timeout").mockReturnValue(signal);
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

describe("an exploration", () => {
  test("of a sound lock ends with all schedules, and none breaks it", async () => {
    const progress = new HeardProgress();
    const { findings } = await explore(SOUND, { store: fresh(), progress });
    expect(findings).toMatchObject({
      complete: true,
      outcomes: { invalid: 0 },
      levels: [{ deviations: 1, missing: 0 }],
    });
    expect(findings.broken).toBeUndefined();
    expect(findings.schedules).toBe(1 + (findings.levels[0]?.families ?? 0));
    expect(progress.steps[0]).toBe("running the workload without faults");
    expect(progress.steps[1]).toMatch(/^1 deviation: 0 of \d+ places and faults \(0 %\), 0 schedules$/);
    const ends = progress.steps
      .map((step) => / deviation: (\d+) of /.exec(step)?.[1])
      .filter((done) => done !== undefined);
    expect(ends.map(Number)).toEqual([...ends.keys()]);
    expect(progress.steps.at(-1)).toContain("100 %");
  });

  test("finds a flaw at the first level, keeps the schedule, and finds the same with several threads", async () => {
    const store = fresh();
    const { findings } = await explore(FLAWED, { store });
    expect(findings).toMatchObject({ complete: false, outcomes: { invalid: 1 }, broken: { path: expect.any(String) } });
    const { plan, verdict } = await readKeptRun(join(store, findings.broken?.folder ?? ""));
    expect(plan?.faults).toHaveLength(1);
    expect(verdict.verdict).toBe("invalid");
    expect(existsSync(join(store, "regressions"))).toBe(true);
    const again = await explore({ ...FLAWED, threads: 3 }, { store: fresh() });
    const { folder: _, ...broken } = again.findings.broken ?? { path: "" };
    expect({ ...again.findings, broken }).toEqual({ ...findings, broken: { path: findings.broken?.path } });
  });

  test("whose budget ends while it breaks the lock keeps that schedule all the same", async () => {
    const store = fresh();
    const overtime = new AbortController();
    using _ = onTimeout(overtime.signal);
    const isFinding = ({ outcome }: { readonly outcome: string }): boolean => outcome === "invalid";
    const progress = new HeardProgress();
    progress.onStep = () => {
      const journal = readFileSync(join(store, "campaigns", "explore-set-px-single.jsonl"), "utf8")
        .trim()
        .split("\n");
      const parts = journal.map((line) => JSON.parse(line) as { readonly schedules?: readonly { outcome: string }[] });
      if (parts.some(({ schedules = [] }) => schedules.some(isFinding))) overtime.abort();
    };
    const { findings } = await explore({ ...FLAWED, budgetMs: 60_000 }, { store, progress });
    expect(overtime.signal.aborted).toBe(true);
    const { verdict } = await readKeptRun(join(store, findings.broken?.folder ?? expect.unreachable()));
    expect(verdict.verdict).toBe("invalid");
  });

  test.each<[string, Partial<ExploreOptions>, string]>([
    ["a lock that does not run there", { topology: "redlock" }, "does not run on the topology redlock"],
    ["a fault that cannot happen there", { faults: ["failover"] }, "cannot happen"],
    ["a topology without simulation", { lock: "zookeeper", topology: "zookeeper" }, "no servers"],
  ])("refuses %s", async (_, options, why) => {
    const refused = explore({ ...SOUND, ...options }, { store: fresh() });
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(why);
  });
});
