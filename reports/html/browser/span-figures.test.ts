import { describe, expect, test } from "vitest";
import { pausedPastLease } from "../../testdata/example-runs.ts";
import { longRun } from "../../testdata/long-run.ts";
import { runData } from "../page-data.ts";
import { modelOf } from "./run-model.ts";
import { figuresOf } from "./span-figures.ts";
import { wholeView } from "./time-view.ts";

const nothing = new Set<number>();

describe("the figures of a stretch", () => {
  test("count each operation by its outcome, with the latency of those that succeeded", () => {
    const model = modelOf(runData(longRun(900)));
    const figures = figuresOf(model, wholeView(model.data.end), nothing);
    // A hundred rounds: one asks and is granted, another is refused, but for the round that grants twice.
    expect(figures.find(({ f }) => f === "acquire")).toEqual({
      f: "acquire",
      ok: 101,
      refused: 99,
      unanswered: 0,
      latency: { median: 0.5e6, most: 0.5e6 },
    });
    expect(figures.map(({ f }) => f)).toEqual(["acquire", "write", "release"]);
  });

  test("are about what was under way in the stretch, also if it began before or ended after", () => {
    const model = modelOf(runData(longRun(900)));
    const inRound = (fromMs: number, toMs: number) =>
      figuresOf(model, { from: fromMs * 1e6, to: toMs * 1e6 }, nothing).map(({ f, ok, refused }) => [f, ok, refused]);
    expect(inRound(0.2, 0.3)).toEqual([["acquire", 1, 0]]);
    expect(inRound(0.6, 0.9)).toEqual([]);
    expect(inRound(0.2, 1.2)).toEqual([["acquire", 1, 1]]);
  });

  test("leave out lanes that are hidden", () => {
    const model = modelOf(runData(pausedPastLease()));
    const whole = wholeView(model.data.end);
    const all = model.lanes.map(({ index }) => index);
    expect(figuresOf(model, whole, new Set(all))).toEqual([]);
    expect(figuresOf(model, whole, new Set([0]))).not.toEqual(figuresOf(model, whole, nothing));
  });

  test("give no latency where nothing succeeded", () => {
    const model = modelOf(runData(longRun(900)));
    const [refused] = figuresOf(model, { from: 1.1e6, to: 1.2e6 }, nothing);
    expect(refused).toEqual({ f: "acquire", ok: 0, refused: 1, unanswered: 0 });
  });
});
