import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HarnessError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import type { Verdict } from "../core/verdict.ts";
import { runCampaign, type CampaignOptions, type Judged } from "./run-campaign.ts";
import { plan } from "../run/testing/plans.ts";

type Outcome = Verdict["verdict"];

const judged = (plan: Plan, verdict: Outcome): Judged => ({
  plan,
  verdict: { verdict, required: [], properties: {}, reasons: [], remarks: [] },
});

/** Plans that differ in their limit only. */
const plans = fc.integer({ min: 1, max: 1_000_000 }).map((limitMs) => plan({ limitMs }));

/** A campaign whose runs are judged by their limit, and the limits of all plans that ran, in order. */
function campaign(judge: (limitMs: number) => Outcome, options: Partial<CampaignOptions<Judged>> = {}) {
  const ran: number[] = [];
  const result = runCampaign({
    plans,
    seed: 7,
    runs: 200,
    shrinkRuns: 1000,
    execute: async (plan) => {
      ran.push(plan.limitMs);
      return judged(plan, judge(plan.limitMs));
    },
    ...options,
  });
  return { ran, result };
}

const planted = (limitMs: number): Outcome => (limitMs >= 4321 ? "invalid" : "valid");

describe("a search", () => {
  test("that finds nothing does all its runs and counts them", async () => {
    const { ran, result } = campaign((limitMs) => (limitMs % 2 === 0 ? "valid" : "unknown"));
    const { valid, unknown, ...rest } = await result;
    expect(rest).toEqual({ seed: 7, runs: 200, furtherRuns: 0, cutShort: false });
    expect(valid).toBe(ran.filter((limitMs) => limitMs % 2 === 0).length);
    expect(unknown).toBe(200 - valid);
    expect(ran).toHaveLength(200);
  });

  test("finds a planted bug, shrinks it to the smallest plan, and says how to come there again", async () => {
    const { ran, result } = campaign(planted);
    const { counterexample, runs, valid } = await result;
    expect(counterexample?.run.plan.limitMs).toBe(4321);
    expect(counterexample?.path).toMatch(/^\d+(:\d+)*$/);
    expect(valid).toBe(runs - 1);
    expect(counterexample?.shrinks).toBe(ran.length - runs);

    const again = campaign(planted, { path: counterexample?.path ?? "" });
    expect((await again.result).counterexample?.run.plan).toEqual(counterexample?.run.plan);
    expect(again.ran[0]).toBe(4321);
    expect((await again.result).counterexample?.path).toBe(counterexample?.path);
  });

  test("for a path runs the plan there, and no other if that one holds", async () => {
    const { counterexample } = await campaign(planted).result;
    for (const path of ["3", counterexample?.path ?? ""]) {
      const mended = campaign(() => "valid", { path });
      const { counterexample: none, runs } = await mended.result;
      expect([none, runs, mended.ran.length]).toEqual([undefined, 1, 1]);
    }
  });

  test("with the same seed runs the same plans", async () => {
    const [one, other] = [campaign(() => "valid"), campaign(() => "valid")];
    await Promise.all([one.result, other.result]);
    expect(one.ran).toEqual(other.ran);
    const third = campaign(() => "valid", { seed: 8 });
    await third.result;
    expect(third.ran).not.toEqual(one.ran);
  });

  test("takes unknown for no counterexample, while shrinking too", async () => {
    const { result } = campaign((limitMs) => (limitMs >= 9000 ? "invalid" : "unknown"));
    expect((await result).counterexample?.run.plan.limitMs).toBe(9000);
  });

  describe("for holds that overlap", () => {
    const overlapping = (plan: Plan, overlapMs: number): Judged => {
      const violation = {
        events: [],
        cause: "overrun",
        explanation: "",
        overlap: { from: 5e6, to: 5e6 + overlapMs * 1e6 },
      } as const;
      const properties = { "mutual-exclusion": { verdict: "invalid", violations: [violation] } } as const;
      const { verdict } = judged(plan, "invalid");
      return { plan, verdict: { ...verdict, required: ["mutual-exclusion"], properties } };
    };
    const smallest = async (overlapMs: (limitMs: number) => number): Promise<number | undefined> => {
      const execute = async (plan: Plan): Promise<Judged> =>
        plan.limitMs >= 4321 ? overlapping(plan, overlapMs(plan.limitMs)) : judged(plan, "valid");
      const { counterexample } = await campaign(planted, { execute }).result;
      return counterexample?.run.plan.limitMs;
    };

    test("shrinks no further than to where it can still be seen", async () => {
      expect(await smallest((limitMs) => limitMs - 4321)).toBe(4331);
    });

    test("shrinks all the same when it never could", async () => {
      expect(await smallest(() => 9)).toBe(4321);
    });
  });

  test("tells of each run, and whether it belongs to the search or to shrinking", async () => {
    const told: { limitMs: number; done: number; shrinking: boolean }[] = [];
    const { ran, result } = campaign(planted, {
      onRun: ({ plan }, count) => told.push({ limitMs: plan.limitMs, ...count }),
    });
    const { runs, counterexample } = await result;
    expect(told.map(({ limitMs }) => limitMs)).toEqual(ran);
    expect(told.map(({ done }) => done).slice(0, runs)).toEqual(Array.from({ length: runs }, (_, index) => index + 1));
    expect(told.filter(({ shrinking }) => shrinking)).toHaveLength(counterexample?.shrinks ?? -1);
    expect(told.findIndex(({ shrinking }) => shrinking)).toBe(runs);
  });
});

describe("shrinking", () => {
  test.each([0, 1, 5])("takes %i runs at the most and keeps the smallest failing run so far", async (shrinkRuns) => {
    const { ran, result } = campaign(planted, { shrinkRuns });
    const { counterexample, runs, cutShort } = await result;
    expect(ran).toHaveLength(runs + shrinkRuns);
    expect(counterexample?.shrinks).toBe(shrinkRuns);
    expect(counterexample?.run.plan.limitMs).toBe(Math.min(...ran.filter((limitMs) => limitMs >= 4321)));
    expect(cutShort).toBe(false);
    const again = campaign(planted, { path: counterexample?.path ?? "", shrinkRuns: 0 });
    expect((await again.result).counterexample?.run.plan).toEqual(counterexample?.run.plan);
  });

  test("does not run a plan again that it has judged", async () => {
    // Two drawn values give the same plan, so some ways of shrinking change nothing.
    const pairs = fc
      .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 1000 }))
      .map(([, limitMs]) => plan({ limitMs }));
    const { ran, result } = campaign((limitMs) => (limitMs >= 100 ? "invalid" : "valid"), { plans: pairs });
    const { runs, counterexample } = await result;
    const shrunk = ran.slice(runs - 1);
    expect(new Set(shrunk).size).toBe(shrunk.length);
    expect(counterexample?.run.plan.limitMs).toBe(100);
  });
});

describe("regressions", () => {
  test("run first, and one that fails again ends the search", async () => {
    const regressions = [plan({ limitMs: 3 }), plan({ limitMs: 5000 }), plan({ limitMs: 6000 })];
    const { ran, result } = campaign(planted, { regressions });
    const { counterexample, runs } = await result;
    expect(ran).toEqual([3, 5000]);
    expect(runs).toBe(2);
    expect(counterexample).toEqual({ run: judged(plan({ limitMs: 5000 }), "invalid"), shrinks: 0, position: 1 });
  });

  test("that hold are followed by generated plans", async () => {
    const { ran, result } = campaign(() => "valid", { regressions: [plan({ limitMs: 3 })], runs: 10 });
    expect((await result).runs).toBe(11);
    expect(ran[0]).toBe(3);
  });

  test("are left out when one counterexample is asked for", async () => {
    const { counterexample } = await campaign(planted).result;
    const regressions = [plan({ limitMs: 999_999 })];
    const { ran, result } = campaign(planted, { regressions, path: counterexample?.path ?? "" });
    await result;
    expect(ran).not.toContain(999_999);
  });
});

describe("a campaign in parts", () => {
  const positions = async (options: Partial<CampaignOptions<Judged>>, judge = planted) => {
    const ran: [position: number, limitMs: number][] = [];
    const { result } = campaign(judge, {
      shrinkRuns: 0,
      onRun: ({ plan: { limitMs } }, { position }) => ran.push([position, limitMs]),
      ...options,
    });
    return { ran, result: await result };
  };

  test("shards together run each plan once, each at the position that it has in the whole", async () => {
    const regressions = [plan({ limitMs: 3 }), plan({ limitMs: 4 })];
    const whole = await positions({ regressions, runs: 20 }, () => "valid");
    const shards = await Promise.all(
      [0, 1, 2].map((shard) =>
        positions({ regressions, runs: 20, isMine: (position) => position % 3 === shard }, () => "valid"),
      ),
    );
    expect(whole.ran.map(([position]) => position)).toEqual(Array.from({ length: 22 }, (_, position) => position));
    expect(shards.map(({ ran }) => ran.length)).toEqual([8, 7, 7]);
    expect(shards.flatMap(({ ran }) => ran).toSorted(([one], [other]) => one - other)).toEqual(whole.ran);
    expect(shards.map(({ result }) => result.runs)).toEqual([8, 7, 7]);
  });

  test("a shard's path leads to its counterexample in the whole", async () => {
    const { result } = await positions({ isMine: (position) => position % 2 === 1, shrinkRuns: 1000 });
    const { path, position, run } = result.counterexample ?? {};
    expect(position).toBe(Number(path?.split(":")[0]));
    expect((position ?? 0) % 2).toBe(1);
    const again = await positions({ path: path ?? "" });
    expect(again.result.counterexample?.run).toEqual(run);
  });

  test("what was judged before counts, and is not run again but where it failed", async () => {
    const whole = await positions({ runs: 200 });
    const failed = whole.result.counterexample?.position ?? -1;
    const judge = (limitMs: number): Outcome => (limitMs % 2 === 0 ? planted(limitMs) : "unknown");
    const known = new Map<number, Outcome>([
      [0, "unknown"],
      [1, "valid"],
      [failed, "invalid"],
    ]);
    const resumed = await positions({ known }, (limitMs) =>
      planted(limitMs) === "invalid" ? "invalid" : judge(limitMs),
    );
    expect(resumed.ran.map(([position]) => position)).toEqual(
      Array.from({ length: failed + 1 }, (_, position) => position).filter(
        (position) => position === failed || position > 1,
      ),
    );
    expect(resumed.result).toMatchObject({ runs: failed + 1, counterexample: { position: failed } });
  });
});

describe("several runs at a time", () => {
  /** Runs take turns of different lengths, so that they end in another order than they began. */
  const jumbled = (judge: (limitMs: number) => Outcome, options: Partial<CampaignOptions<Judged>> = {}) => {
    const told: [limitMs: number, count: unknown][] = [];
    const dropped: number[] = [];
    let atATime = 0;
    let most = 0;
    const { result } = campaign(judge, {
      execute: async (plan) => {
        atATime += 1;
        most = Math.max(most, atATime);
        for (let turn = plan.limitMs % 7; turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
        atATime -= 1;
        return judged(plan, judge(plan.limitMs));
      },
      onRun: ({ plan }, count) => told.push([plan.limitMs, count]),
      onUnwanted: ({ plan }) => dropped.push(plan.limitMs),
      ...options,
    });
    return result.then((found) => ({ found, told, dropped, most: () => most }));
  };

  test.each([
    ["nothing is found", (limitMs: number): Outcome => (limitMs % 2 === 0 ? "valid" : "unknown")],
    ["many plans fail", (limitMs: number): Outcome => (limitMs % 5 === 0 ? "invalid" : "valid")],
    ["few plans fail", (limitMs: number): Outcome => (limitMs >= 970_000 ? "invalid" : "valid")],
  ])("where %s, find and tell the same as one at a time", async (_, judge) => {
    const regressions = [plan({ limitMs: 3 }), plan({ limitMs: 7 })];
    const [one, ...others] = await Promise.all(
      [1, 2, 4, 9].map((parallel) => jumbled(judge, { parallel, regressions, runs: 60 })),
    );
    for (const { found, told } of others) {
      expect(found).toEqual(one?.found);
      expect(told).toEqual(one?.told);
    }
    expect([one, ...others].map((each) => each?.most())).toEqual([1, 2, 4, 9]);
  });

  test("drop the runs after the counterexample, and none before it", async () => {
    const { found, told, dropped } = await jumbled((limitMs) => (limitMs % 5 === 0 ? "invalid" : "valid"), {
      parallel: 8,
      shrinkRuns: 0,
    });
    expect(told).toHaveLength((found.counterexample?.position ?? NaN) + 1);
    expect(dropped.length).toBeGreaterThan(0);
    expect(dropped.some((limitMs) => told.some(([each]) => each === limitMs))).toBe(false);
  });

  test("an interrupted run does not count, and nothing follows it", async () => {
    let executed = 0;
    const execute = async (plan: Plan): Promise<Judged | undefined> => {
      executed += 1;
      return executed === 4 ? undefined : judged(plan, "valid");
    };
    expect(await campaign(planted, { execute, parallel: 2 }).result).toMatchObject({ runs: 3, cutShort: true });
  });
});

describe("an end before the end", () => {
  test("a signal ends the search after the run that is under way", async () => {
    const stop = new AbortController();
    const { ran, result } = campaign(
      () => {
        if (ran.length === 3) stop.abort();
        return "valid";
      },
      { signal: stop.signal },
    );
    expect(await result).toEqual({ seed: 7, runs: 3, furtherRuns: 0, valid: 3, unknown: 0, cutShort: true });
  });

  test("a signal ends shrinking too, and what was found stays", async () => {
    const stop = new AbortController();
    let failures = 0;
    const { result } = campaign(
      (limitMs) => {
        if (planted(limitMs) === "invalid" && (failures += 1) === 2) stop.abort();
        return planted(limitMs);
      },
      { signal: stop.signal },
    );
    const { counterexample, cutShort } = await result;
    expect(failures).toBe(2);
    expect(counterexample?.run.verdict.verdict).toBe("invalid");
    expect(cutShort).toBe(false);
  });

  test("no run begins when the budget is over, however many there should be", async () => {
    const { ran, result } = campaign(
      () => {
        // Time that a run really takes.
        for (const until = performance.now() + 10; performance.now() < until;);
        return "valid";
      },
      { budgetMs: 25, runs: 1_000_000_000 },
    );
    expect(await result).toMatchObject({ cutShort: true, runs: ran.length });
    expect(ran.length).toBeGreaterThan(0);
    expect(ran.length).toBeLessThanOrEqual(3);
  });

  test("regressions count in the budget", async () => {
    const { ran, result } = campaign(() => "valid", { regressions: [plan()], budgetMs: -1 });
    expect(await result).toMatchObject({ runs: 0, cutShort: true });
    expect(ran).toEqual([]);
  });
});

describe("an error", () => {
  test("of a run is thrown, and neither shrunk nor followed by further runs", async () => {
    const error = new HarnessError("the engine is gone");
    let executed = 0;
    const execute = async (plan: Plan): Promise<Judged> => {
      executed += 1;
      if (executed === 3) throw error;
      return judged(plan, "valid");
    };
    await expect(campaign(planted, { execute, runs: 1_000_000_000 }).result).rejects.toBe(error);
    expect(executed).toBe(3);
  });

  test("while shrinking is thrown", async () => {
    const error = new HarnessError("the engine is gone");
    const execute = async (plan: Plan): Promise<Judged> => {
      if (failed) throw error;
      failed = planted(plan.limitMs) === "invalid";
      return judged(plan, planted(plan.limitMs));
    };
    let failed = false;
    await expect(campaign(planted, { execute }).result).rejects.toBe(error);
  });

  test("of a regression is thrown", async () => {
    const execute = (): Promise<Judged> => Promise.reject(new HarnessError("the engine is gone"));
    await expect(campaign(planted, { execute, regressions: [plan()] }).result).rejects.toThrow("the engine is gone");
  });
});

describe("shrinking that asks other seeds", () => {
  const failing = (plan: Plan): Judged => {
    const violation = { events: [], cause: "overrun", explanation: "" } as const;
    const properties = { "mutual-exclusion": { verdict: "invalid", violations: [violation] } } as const;
    return {
      plan,
      verdict: { ...judged(plan, "invalid").verdict, required: ["mutual-exclusion"], properties },
    };
  };
  /** Fails from 4321 on, but below 9000 only with the seed that plans are drawn with. */
  const seed = plan({}).seed;
  const brittle = async (drawn: Plan): Promise<Judged> =>
    drawn.limitMs >= 9000 || (drawn.limitMs >= 4321 && drawn.seed === seed) ? failing(drawn) : judged(drawn, "valid");

  test("stops at the smallest plan that fails with them too", async () => {
    const { counterexample } = await campaign(planted, { execute: brittle, otherSeeds: 3 }).result;
    expect(counterexample?.run.plan.limitMs).toBe(9000);
    const { counterexample: careless } = await campaign(planted, { execute: brittle }).result;
    expect(careless?.run.plan.limitMs).toBe(4321);
  });

  test("goes on when none of them fails", async () => {
    const execute = async (drawn: Plan): Promise<Judged> =>
      drawn.limitMs >= 4321 && drawn.seed === seed ? failing(drawn) : judged(drawn, "valid");
    const { counterexample } = await campaign(planted, { execute, otherSeeds: 3 }).result;
    expect(counterexample?.run.plan.limitMs).toBe(4321);
  });
});
