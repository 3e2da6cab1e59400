import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

  test("of a lock that grants nothing says so at once", { tags: "long" }, async () => {
    const lock = join(fresh(), "..", "never.mjs");
    const answer = `{ type: "info", reason: "no idea" }`;
    const client = `{ acquire: async () => (${answer}), release: async () => (${answer}), [Symbol.asyncDispose]: async () => {} }`;
    writeFileSync(lock, `export const driver = { connect: async () => (${client}) };`);
    const progress = new HeardProgress();
    await explore({ ...SOUND, lock, workload: smallWorkload(lock, "single") }, { store: fresh(), progress });
    expect(progress.notes).toEqual([
      expect.stringMatching(
        /^the workload without faults decides nothing: no acquire was granted, .*no idea.*; check the driver: npx lockstorm conform /,
      ),
    ]);
  });

  test(
    "finds a flaw at the first level, keeps the schedule, and finds the same with several threads",
    { tags: "long" },
    async () => {
      const store = fresh();
      const { findings } = await explore(FLAWED, { store });
      expect(findings).toMatchObject({
        complete: false,
        outcomes: { invalid: 1 },
        broken: { path: expect.any(String) },
      });
      const { plan, verdict } = await readKeptRun(join(store, findings.broken?.folder ?? ""));
      expect(plan?.faults).toHaveLength(1);
      expect(verdict.verdict).toBe("invalid");
      expect(existsSync(join(store, "regressions"))).toBe(true);
      const again = await explore({ ...FLAWED, threads: 3 }, { store: fresh() });
      const { folder: _, ...broken } = again.findings.broken ?? { path: "" };
      expect({ ...again.findings, broken }).toEqual({ ...findings, broken: { path: findings.broken?.path } });
    },
  );

  test("whose budget ends while it breaks the lock keeps that schedule all the same", { tags: "long" }, async () => {
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

  test(
    "whose budget is used up ends in the middle of a part, and goes on there when it is resumed",
    { tags: "long" },
    async () => {
      const options: ExploreOptions = { ...FLAWED, lock: "single", workload: smallWorkload("single", "single") };
      const store = fresh();
      const whole = await explore(options, { store });
      const limited = { ...options, budgetMs: 60_000 };
      const journal = join(store, "campaigns", `${whole.name}.jsonl`);
      // As a budget leaves it that is used up during the first part.
      const [header = "", base = "", first = ""] = readFileSync(journal, "utf8").split("\n");
      const part = JSON.parse(first) as { readonly schedules: readonly unknown[] };
      expect(part.schedules.length).toBeGreaterThan(2);
      const cut = { ...part, schedules: part.schedules.slice(-2), partial: true };
      writeFileSync(journal, [header, base, JSON.stringify(cut), ""].join("\n"));
      {
        using _ = onTimeout(AbortSignal.abort());
        const { findings } = await explore({ ...limited, resume: true }, { store });
        const [level] = findings.levels;
        expect(findings).toMatchObject({ complete: false, schedules: 3 });
        expect(level?.missing).toBe(level?.families);
      }
      const { findings } = await explore({ ...limited, resume: true }, { store });
      expect(findings).toEqual(whole.findings);
    },
  );

  test("begins no schedule after its budget, not even in a part of thousands", { tags: "long" }, async () => {
    const overtime = new AbortController();
    using _ = onTimeout(overtime.signal);
    const progress = new HeardProgress();
    // The thread is given its first part right after this step.
    progress.onStep = (text) => text.startsWith("1 deviation") && setImmediate(() => overtime.abort());
    const options = { ...FLAWED, keepGoing: true, reduction: false, resolutionMs: 0.1, budgetMs: 60_000 };
    const { findings } = await explore(options, { store: fresh(), progress });
    expect(overtime.signal.aborted).toBe(true);
    expect(findings.complete).toBe(false);
    expect(findings.levels[0]?.missing).toBe(findings.levels[0]?.families);
  });

  test(
    "keeps what breaks the lock also where it goes on to further deviations when its budget is used up",
    { tags: "long" },
    async () => {
      const store = fresh();
      const overtime = new AbortController();
      using _ = onTimeout(overtime.signal);
      const progress = new HeardProgress();
      progress.onStep = (text) => /^1 deviation: .*100 %/.test(text) && overtime.abort();
      const options = { ...FLAWED, keepGoing: true, deviations: 2, budgetMs: 60_000 };
      const { findings } = await explore(options, { store, progress });
      expect(overtime.signal.aborted).toBe(true);
      expect(findings.complete).toBe(false);
      const { verdict } = await readKeptRun(join(store, findings.broken?.folder ?? expect.unreachable()));
      expect(verdict.verdict).toBe("invalid");
    },
  );

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
