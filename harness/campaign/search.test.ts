import { expect, test } from "vitest";
import { faults } from "../../faults/registry.ts";
import { Recording } from "../check/testing/recording.ts";
import type { Plan } from "../core/plan.ts";
import { countedVerdict } from "./notes/counted-verdict.ts";
import { huntSource } from "./hunt/hunt-source.ts";
import { requiredProperties } from "./required-properties.ts";
import { runSimulated, type SimulatedRun } from "./run-simulated.ts";
import { search, type Searched } from "./search.ts";
import { learnSimulated } from "./systematic/learn.ts";

const SINGLE = { kind: "single", persistence: "none", config: {} } as const;

test(
  "plans that decided nothing are aimed at what happened in their run, also where nothing was learned",
  { tags: "long" },
  async () => {
    const unwanted: Searched<SimulatedRun>[] = [];
    const taken: Searched<SimulatedRun>[] = [];
    let undecided = 0;
    const { unknown, furtherRuns, runs } = await search<SimulatedRun>({
      drawnFrom: huntSource({ lock: "fenced", topology: SINGLE, faults }),
      seed: 3,
      runs: 60,
      shrinkRuns: 0,
      run: async (plan) => {
        const run = await runSimulated(plan, { title: "search", required: requiredProperties(plan) });
        if (countedVerdict(run.record.verdict, run.record.history).verdict === "unknown") undecided += 1;
        return run;
      },
      onRun: (run) => taken.push(run),
      onUnwanted: (run) => unwanted.push(run),
    });
    expect([runs, taken.length]).toEqual([60, 60]);
    expect(furtherRuns).toBeGreaterThan(3);
    // Of the two runs of a plan one counts: the one that decided something, if any.
    expect(unwanted).toHaveLength(furtherRuns);
    expect(new Set(taken).intersection(new Set(unwanted)).size).toBe(0);
    expect(unknown).toBeLessThan(undecided / 2);
  },
);

test.each([
  ["in real time", true, 3, 0],
  ["unless the lock promises nothing under its faults", true, 0, 10],
  ["not in simulation", false, 3, 10],
])("a plan whose run was undecided by chance runs again %s", async (_, inRealTime, promised, expected) => {
  const tried = new Set<string>();
  const { unknown, furtherRuns } = await search<SimulatedRun>({
    drawnFrom: huntSource({ lock: "fenced", topology: SINGLE, faults: [] }),
    seed: 3,
    runs: 10,
    shrinkRuns: 0,
    inRealTime,
    promises: () => promised,
    run: async (plan) => {
      const run = await runSimulated(plan, { title: "search", required: requiredProperties(plan) });
      const text = JSON.stringify(plan);
      if (tried.has(text)) return run;
      tried.add(text);
      const { record } = run;
      const verdict = { ...record.verdict, verdict: "unknown", reasons: ["the machine was too busy"] } as const;
      return { ...run, record: { ...record, verdict } };
    },
  });
  expect(unknown).toBe(expected);
  expect(furtherRuns > 0).toBe(expected === 0);
});

test("a plan in whose run nothing was granted, without a fault, does not run again in real time", async () => {
  const { unknown, furtherRuns } = await search<SimulatedRun>({
    drawnFrom: huntSource({ lock: "fenced", topology: SINGLE, faults: [] }),
    seed: 3,
    runs: 4,
    shrinkRuns: 0,
    inRealTime: true,
    run: async (plan) => {
      const run = await runSimulated(plan, { title: "search", required: requiredProperties(plan) });
      const { history } = new Recording({ clients: 2 }).seek(1, 0).refused(2, 0, "no idea");
      const verdict = { ...run.record.verdict, verdict: "unknown", reasons: ["no acquire was granted"] } as const;
      return { ...run, record: { ...run.record, history, verdict } };
    },
  });
  expect({ unknown, furtherRuns }).toEqual({ unknown: 4, furtherRuns: 0 });
});

test.each([
  ["in real time, where each run costs seconds, they are left out", true, 0],
  ["in simulation a few are run, and show what else breaks", false, 6],
])("plans under whose faults a lock promises nothing: %s", { tags: "long" }, async (_, inRealTime, most) => {
  const promised: boolean[] = [];
  const promises = ({ faults: drawn }: Plan): number => (drawn.some(({ kind }) => kind.endsWith("-node")) ? 0 : 3);
  await search<SimulatedRun>({
    drawnFrom: huntSource({ lock: "fenced", topology: SINGLE, faults }),
    seed: 3,
    runs: 80,
    shrinkRuns: 0,
    inRealTime,
    promises,
    run: async (plan) => {
      promised.push(promises(plan) > 0);
      return runSimulated(plan, { title: "search", required: requiredProperties(plan) });
    },
  });
  const unpromised = promised.filter((isPromised) => !isPromised).length;
  expect(unpromised).toBeLessThanOrEqual(most);
  expect(unpromised > 0).toBe(!inRealTime);
});

test.each([
  ["before anything broke", Infinity, 4],
  ["while the counterexample was shrunk", 3, 5],
])("a run that an interruption ended, %s, ends the search with what it has", async (_, breaking, interrupted) => {
  const stop = new AbortController();
  const reason = new Error("interrupted");
  const broken = new Set<SimulatedRun["record"]>();
  let begun = 0;
  const { counterexample, runs } = await search<SimulatedRun>({
    drawnFrom: huntSource({ lock: "fenced", topology: SINGLE, faults: [] }),
    seed: 3,
    runs: 10,
    shrinkRuns: 100,
    lasts: true,
    signal: stop.signal,
    verdictOf: ({ record }) => ({ ...record.verdict, verdict: broken.has(record) ? "invalid" : "valid" }),
    run: async (plan) => {
      begun += 1;
      if (begun === interrupted) stop.abort(reason);
      stop.signal.throwIfAborted();
      const run = await runSimulated(plan, { title: "search", required: requiredProperties(plan) });
      if (begun >= breaking) broken.add(run.record);
      return run;
    },
  });
  expect(runs).toBe(3);
  expect(counterexample !== undefined).toBe(breaking === 3);
});

test(
  "after 200 systematic plans, those with one deviation and those with two come in turn",
  { tags: "long" },
  async () => {
    const deviations: number[] = [];
    const { singlesAmong } = await search<SimulatedRun>({
      drawnFrom: huntSource({ lock: "single", topology: SINGLE, faults }),
      learn: learnSimulated(),
      seed: 3,
      runs: 240,
      shrinkRuns: 0,
      run: (plan) => runSimulated(plan, { title: "search", required: [], checkers: [] }),
      onRun: ({ plan }) => void deviations.push(plan.faults.filter(({ at }) => "moment" in at || "on" in at).length),
    });
    const later = deviations.slice(200);
    expect(later).toHaveLength(40);
    // Some begin with a client that dies by itself.
    expect(later.filter((_, index) => index % 2 === 1).every((count) => count >= 2)).toBe(true);
    expect(later.filter((_, index) => index % 2 === 0).some((count) => count < 2)).toBe(true);
    expect(singlesAmong(240)).toBeGreaterThan(singlesAmong(200));
    expect(singlesAmong(240)).toBeLessThan(singlesAmong(200) + 40);
  },
);
