import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { jumpOfOneInFive, lostInFailover, pausedPastLease } from "../../testdata/example-runs.ts";
import { longRun } from "../../testdata/long-run.ts";
import { runData } from "../page-data.ts";
import { EVERYTHING, EventFilter } from "./event-filter.ts";
import { layLanes, totalHeight } from "./lane-layout.ts";
import { clockOffset, firstEndingAfter, modelOf } from "./run-model.ts";
import { AXIS_HEIGHT, itemAt, timeAt, xOf, type Scene } from "./scene.ts";
import { clampView, offsetLabel, ticksOf, timeLabel, viewAround, wholeView, zoomView } from "./time-view.ts";

test("the page's program is well typed against the browser's own types", { tags: "long" }, () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const { stdout, status } = spawnSync("tsc", ["--noEmit", "-p", folder], { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

describe("the view of time", () => {
  test("it stays inside of the run and is never too close", () => {
    expect(clampView({ from: -50, to: 50 }, 1e6)).toEqual({ from: 0, to: 1000 });
    expect(clampView({ from: 0, to: 9e9 }, 1e6)).toEqual(wholeView(1e6));
    const late = clampView({ from: 5e6, to: 6e6 }, 1e6);
    expect(late.to).toBe(wholeView(1e6).to);
  });

  test("zooming keeps the time under the pointer where it is", () => {
    const view = { from: 100e6, to: 200e6 };
    const closer = zoomView(view, 0.5, 125e6, 1e9);
    expect((125e6 - closer.from) / (closer.to - closer.from)).toBeCloseTo(0.25);
    expect(closer.to - closer.from).toBeCloseTo(50e6);
  });

  test("a stretch is shown whole, with air", () => {
    expect(viewAround({ from: 100e6, to: 200e6 }, 1e9)).toEqual({ from: 90e6, to: 210e6 });
  });

  test("ticks are round, inside, and apart", () => {
    const ticks = ticksOf({ from: 3e6, to: 97e6 }, 800, 100);
    expect(ticks.map(({ label }) => label)).toEqual(["20 ms", "40 ms", "60 ms", "80 ms"]);
  });

  test.each([
    [1_500_000, 500_000, "1.5 ms"],
    [2e9, 1e9, "2 s"],
    [250_000, 50_000, "250 µs"],
    [27_776_500_000, 500_000, "27,776.5 ms"],
  ])("%d with steps of %d reads %s", (time, step, label) => {
    expect(timeLabel(time, step)).toBe(label);
  });

  test("an offset has a sign and a unit that fits", () => {
    expect([offsetLabel(11e9), offsetLabel(-500e6), offsetLabel(1_250e6)]).toEqual(["+11 s", "-500 ms", "+1.25 s"]);
  });
});

describe("the model", () => {
  const model = modelOf(runData(lostInFailover()));

  test("each event of an operation leads to it; every event but skipped faults leads somewhere", () => {
    expect(model.itemOf.get(1)).toBe(model.itemOf.get(2));
    expect(model.data.events.filter(({ index }) => !model.itemOf.has(index))).toEqual([]);
  });

  test("faults in force together lie in strips of their own, others share one", () => {
    const node0 = model.lanes.find(({ name }) => name === "node-0");
    expect(node0?.faults.map(({ label, strip }) => [label, strip])).toEqual([
      ["partition", 0],
      ["kill-node", 1],
    ]);
    expect(node0?.strips).toBe(2);
    const jumping = modelOf(runData(jumpOfOneInFive()));
    expect(jumping.lanes.find(({ name }) => name === "node-0")?.strips).toBe(1);
  });

  test("a clock that stepped is ahead from then on", () => {
    const jumping = modelOf(runData(jumpOfOneInFive()));
    const lane = jumping.lanes.findIndex(({ name }) => name === "node-2");
    expect([99e6, 100e6, 400e6].map((time) => clockOffset(jumping, lane, time))).toEqual([0, 10e9, 10e9]);
    expect(clockOffset(jumping, lane + 1, 400e6)).toBe(0);
  });

  test("the first item that ends after a time is found", () => {
    const operations = modelOf(runData(longRun(900))).lanes[0]?.operations ?? [];
    for (const time of [0, 1, 123.4e6, 250e6, 9e12]) {
      const expected = operations.findIndex(({ to }) => to >= time);
      expect(firstEndingAfter(operations, time)).toBe(expected === -1 ? operations.length : expected);
    }
  });
});

describe("the filter", () => {
  const model = modelOf(runData(pausedPastLease()));
  const filter = new EventFilter(model);

  test("words must all occur, in any case and order", () => {
    expect(filter.matches({ ...EVERYTHING, query: "ACQUIRE client-1" })).toEqual([6, 7, 8, 9]);
    expect(filter.matches({ ...EVERYTHING, query: "#17 refuses" })).toEqual([17]);
    expect(filter.matches({ ...EVERYTHING, query: "  " })).toHaveLength(model.data.events.length);
  });

  test("kinds, types and lanes can be hidden", () => {
    const audits = filter.matches({ ...EVERYTHING, hiddenKinds: new Set(["audit"]) });
    expect(audits).toHaveLength(model.data.events.length - 3);
    expect(filter.matches({ ...EVERYTHING, hiddenTypes: new Set(["invoke", "ok", "audit", "fault"]) })).toEqual([
      7, 18,
    ]);
    expect(filter.matches({ ...EVERYTHING, hiddenLanes: new Set([0, 1]) })).toEqual([3, 11, 17]);
  });
});

describe("the scene", () => {
  const model = modelOf(runData(pausedPastLease()));
  const places = layLanes(model.lanes, new Set());
  const scene: Scene = {
    model,
    view: { from: 0, to: 6100e6 },
    places,
    width: 1096,
    height: 400,
    scrollTop: 0,
    matching: undefined,
    selected: undefined,
    hovered: undefined,
    focusedLane: undefined,
  };

  test("times and places are each other's inverse", () => {
    for (const time of [0, 1e9, 5.5e9]) expect(timeAt(scene, xOf(scene, time))).toBeCloseTo(time, 0);
  });

  test("lanes are stacked without a gap, and hidden ones take no room", () => {
    places.forEach(({ top, height }, index) =>
      expect(places[index + 1]?.top ?? totalHeight(places)).toBe(top + height),
    );
    const less = layLanes(model.lanes, new Set([0]));
    expect(totalHeight(less)).toBe(totalHeight(places) - (places[0]?.height ?? 0));
  });

  test("what is pointed at is the smallest thing there", () => {
    const at = (ms: number, y: number): string | undefined =>
      itemAt(scene, xOf(scene, ms * 1e6), AXIS_HEIGHT + y)?.kind;
    expect(at(3000, 12)).toBe("hold");
    expect(at(3000, 52)).toBe("fault");
    expect(at(3000, 33)).toBeUndefined();
    expect(at(6001.5, (places.at(-1)?.top ?? 0) + 16)).toBe("write");
    expect(itemAt(scene, 20, AXIS_HEIGHT + 12)).toBeUndefined();
  });
});
