import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import { cleanup } from "../cleanup.ts";
import { readKeptRun } from "../kept-run.ts";
import { mergeResults } from "../merge.ts";
import { replay } from "../replay.ts";
import { expectSilence, freshStores, HeardProgress } from "../testing/results.ts";
import { huntLock } from "./hunt-lock.ts";
import type { HuntOptions } from "./hunt-options.ts";

const fresh = freshStores();
expectSilence();

/** A lock whose client sleeps past its lease, for which the server's side cannot be blamed. */
const BROKEN: HuntOptions = {
  lock: "single",
  faults: ["pause-client"],
  required: ["mutual-exclusion"],
  seed: 1,
  runs: 40,
  shrinkRuns: 20,
};
/** The same clients, and nothing goes wrong. */
const HOLDING: HuntOptions = { lock: "fenced", faults: [], required: ["fencing-tokens"], seed: 1, runs: 5 };

describe("a hunt", () => {
  test("gives its counterexample as data, and keeps it with its regression", { tags: "long" }, async () => {
    const store = fresh();
    const { name, findings } = await huntLock(BROKEN, { store });
    expect(name).toBe("hunt-single-single");
    const { counterexample } = findings;
    expect(counterexample).toMatchObject({ verdict: "invalid", recurrence: { otherSeeds: { of: 20 } } });
    expect(counterexample?.shrinks).toBeGreaterThan(0);
    expect(counterexample?.shrinks).toBeLessThanOrEqual(20);
    const { plan, verdict, recurrence } = await readKeptRun(join(store, counterexample?.folder ?? ""));
    expect(recurrence).toEqual(counterexample?.recurrence);
    expect(plan?.lock).toBe("single");
    expect(verdict.properties["mutual-exclusion"]?.verdict).toBe("invalid");
    expect(existsSync(join(store, "regressions"))).toBe(true);
  });

  test("finds the same with the same seed, and goes straight to it by its path", { tags: "long" }, async () => {
    const [one, other] = [fresh(), fresh()];
    const first = await huntLock(BROKEN, { store: one });
    const path = first.findings.counterexample?.path;
    const again = await huntLock({ ...BROKEN, path, shrinkRuns: 0 }, { store: other });
    const planIn = (store: string, folder = ""): string => readFileSync(join(store, folder, "plan.json"), "utf8");
    expect(planIn(other, again.findings.counterexample?.folder)).toBe(
      planIn(one, first.findings.counterexample?.folder),
    );
    expect(again.findings.runs).toBe(1);
  });

  test("draws kept runs as it was told, or not at all", { tags: "long" }, async () => {
    const [drawn, plain] = [fresh(), fresh()];
    const pages: string[] = [];
    const found = await huntLock(BROKEN, {
      store: drawn,
      drawRun: ({ title }) => {
        pages.push(title ?? "");
        return "a page";
      },
    });
    const report = (store: string): string => join(store, found.findings.counterexample?.folder ?? "", "report.html");
    expect(readFileSync(report(drawn), "utf8")).toBe("a page");
    expect(new Set(pages)).toEqual(new Set(["hunt for single"]));
    const { findings } = await huntLock(BROKEN, { store: plain });
    expect(existsSync(join(plain, findings.counterexample?.folder ?? "", "plan.json"))).toBe(true);
    expect(existsSync(join(plain, findings.counterexample?.folder ?? "", "report.html"))).toBe(false);
  });

  test("counts what it did where nothing broke, and tells how far it is", { tags: "long" }, async () => {
    const progress = new HeardProgress();
    const { findings } = await huntLock(HOLDING, { store: fresh(), progress });
    expect(findings).toMatchObject({ runs: 5, valid: 5, unknown: 0, missing: 0 });
    // Nothing was drawn at random yet.
    expect(findings.residualRisk).toBeUndefined();
    expect(findings.counterexample).toBeUndefined();
    expect(progress.notes).toEqual(["hunting: lock fenced, topology single, simulated, seed 1, up to 5 runs"]);
  });

  test("says at once that a property was violated, and then what it does about it", { tags: "long" }, async () => {
    const progress = new HeardProgress();
    /** The steps before the finding was told. */
    const before: string[] = [];
    progress.onStep = (step) => {
      if (progress.notes.length === 1) before.push(step);
    };
    const { findings } = await huntLock(BROKEN, { store: fresh(), progress });
    expect(progress.notes.slice(1)).toEqual([
      `run ${findings.runs} of 40: invalid: mutual-exclusion was violated; shrinking its plan and confirming it with other seeds before the result is printed`,
    ]);
    expect(before.join()).not.toMatch(/shrinking|other seeds|proving/);
    const told = new Set(progress.steps.filter((step) => !before.includes(step)));
    expect([...told].slice(0, 2)).toEqual([
      "hunt for single: shrinking",
      "hunt for single: confirming with other seeds, run 1",
    ]);
    expect(progress.steps.at(-1)).toBe("hunt for single: proving the cause");
  });

  test("that was ended says so, and is resumed", { tags: "long" }, async () => {
    const store = fresh();
    const stop = new AbortController();
    const stopping = { step: () => {}, note: () => stop.abort(new UserError("interrupted", "go on later")) };
    const cut = await huntLock(HOLDING, { store, signal: stop.signal, progress: stopping });
    expect(cut).toMatchObject({ reason: expect.stringContaining("interrupted"), findings: { runs: 0, missing: 5 } });
    const { findings } = await huntLock({ ...HOLDING, resume: true }, { store });
    expect(findings).toMatchObject({ runs: 5, valid: 5, missing: 0 });
    const again = await huntLock({ ...HOLDING, resume: true }, { store });
    expect(again.findings.residualRisk).toEqual(findings.residualRisk);
  });

  test("that is ended once it has found something keeps that, and does not lose it", async () => {
    const stop = new AbortController();
    cleanup.isDue = false;
    const areWaitedFor: boolean[] = [];
    const step = (text: string): void => {
      if (!text.endsWith(": shrinking")) return;
      areWaitedFor.push(cleanup.isDue);
      stop.abort(new UserError("interrupted", "go on later"));
    };
    const progress = { step, note: () => {} };
    const store = fresh();
    const { findings } = await huntLock(BROKEN, { store, signal: stop.signal, progress });
    expect(stop.signal.aborted).toBe(true);
    expect(areWaitedFor).toContain(true);
    expect(areWaitedFor).not.toContain(false);
    expect(existsSync(join(store, findings.counterexample?.folder ?? "nothing", "verdict.json"))).toBe(true);
  });

  test.each<[string, HuntOptions, string]>([
    ["a lock that does not run there", { lock: "redlock", topology: "single" }, "does not run on the topology single"],
    ["a fault that cannot happen there", { lock: "single", topology: "single", faults: ["failover"] }, "cannot happen"],
    ["a fault that there is not", { lock: "single", faults: ["earthquake"] }, 'there is no fault "earthquake"'],
    ["a lock that there is not", { lock: "nothing" }, "nothing"],
  ])("refuses %s", async (_, options, why) => {
    const refused = huntLock(options, { store: fresh() });
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(why);
  });
});

test("the shards of a hunt, merged, are the whole hunt", { tags: "long" }, async () => {
  // Ten of them are drawn at random, after the small workloads, two plans, which come five times.
  const options = { ...HOLDING, seed: 3, runs: 20 };
  const whole = await huntLock(options, { store: fresh("whole") });
  expect(whole.findings.residualRisk).toMatchObject({ runs: 10 });
  const stores = [fresh("one"), fresh("two")];
  for (const [index, store] of stores.entries()) {
    await huntLock({ ...options, shard: { index: index + 1, count: 2 } }, { store });
  }
  const store = fresh("merged");
  const merged = await mergeResults(stores, store);
  // The folders of kept runs are named after the time.
  const notes = whole.findings.notes.map((note) => ({ ...note, folder: expect.any(String) as string }));
  expect(merged).toEqual({
    hunt: {
      ...whole,
      findings: { ...whole.findings, notes },
      store,
      reason: expect.any(String),
      elapsedMs: expect.any(Number),
    },
  });
  const part = await mergeResults(stores.slice(1), fresh("part"));
  expect(part).toMatchObject({ hunt: { reason: expect.stringContaining("shard 1 of 2"), findings: { missing: 10 } } });
});

test("a kept run that is replayed is the same, event for event", { tags: "long" }, async () => {
  const store = fresh();
  const { findings } = await huntLock(BROKEN, { store });
  const planFile = join(store, findings.counterexample?.folder ?? "", "plan.json");
  const { comparison, record, folder } = await replay(planFile, {}, { store: fresh() });
  expect(comparison).toMatchObject({ kind: "same" });
  expect(record.verdict.required).toEqual(["mutual-exclusion"]);
  expect(existsSync(join(folder, "history.jsonl"))).toBe(true);
  const other = await replay(planFile, { lock: "fenced" }, { store: fresh() });
  expect(other.comparison).toBeUndefined();
});

test(
  "a hunt knows how long it took, and in how many runs each property was valid; merged shards add up",
  { tags: "long" },
  async () => {
    const [store, whole] = [fresh(), fresh()];
    const begun = performance.now();
    const parts = [];
    for (const index of [1, 2]) parts.push(await huntLock({ ...HOLDING, shard: { index, count: 2 } }, { store }));
    const tookMs = performance.now() - begun;
    const merged = await mergeResults([store], fresh());
    const elapsedMs = parts.reduce((sum, part) => sum + (part.elapsedMs ?? Number.NaN), 0);
    expect(elapsedMs).toBeGreaterThan(0);
    expect(elapsedMs).toBeLessThanOrEqual(tookMs + 1);
    if (!("hunt" in merged)) throw new Error("no hunt");
    expect(merged.hunt.elapsedMs).toBeCloseTo(elapsedMs, 0);
    const { findings } = await huntLock(HOLDING, { store: whole });
    expect(findings.held).toEqual([{ property: "fencing-tokens", runs: 5 }]);
    expect(merged.hunt.findings.held).toEqual(findings.held);
    // However long it took: the journal says nothing of it.
    const journal = readFileSync(join(whole, "campaigns", "hunt-fenced-single.jsonl"), "utf8");
    expect(journal).not.toMatch(/elapsed|Ms/);
  },
);

test("a journal whose parameters are not those of a hunt is refused in one line", async () => {
  const odd = fresh("odd");
  mkdirSync(join(odd, "campaigns"), { recursive: true });
  const header = { format: "lockstorm-campaign", version: 1, kind: "hunt", parameters: { lock: [] } };
  writeFileSync(join(odd, "campaigns", "hunt-odd.jsonl"), `${JSON.stringify(header)}\n`);
  const merged = mergeResults([odd], fresh("merged"));
  await expect(merged).rejects.toThrow(UserError);
  await expect(merged).rejects.toThrow(/^[^\n]*hunt-odd\.jsonl, line 1 is not part of a campaign: parameters\.[^\n]*$/);
});
