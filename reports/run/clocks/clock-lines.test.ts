import { expect, test } from "vitest";
import type { WireRecord } from "../../../harness/core/messages/wire-record.ts";
import { HistoryBuilder } from "../../testdata/history-builder.ts";
import { clockLinesOf } from "./clock-lines.ts";
import { timelineOf } from "../timeline.ts";

function wireOf(keys: readonly (readonly [server: string, atMs: number, aheadMs: number])[]): WireRecord {
  return {
    format: "lockstorm-wire",
    version: 1,
    messages: [],
    keys: keys.map(([server, atMs, aheadMs]) => ({ server, key: "k1", atNs: atMs * 1e6, clockAheadNs: aheadMs * 1e6 })),
    replication: [],
    votes: [],
    leftOut: 0,
  };
}

test("a step is upright, and lasts to the end of the run", () => {
  const h = new HistoryBuilder({});
  h.fault(5, "clock-jump", ["node-1"], "seen", { byMs: 100 });
  h.fault(9, "clock-jump", ["node-1"], "seen", { byMs: -30 });
  expect(clockLinesOf(timelineOf(h.build()))).toEqual([
    {
      lanes: ["node-1"],
      points: [
        { time: 0, ahead: 0 },
        { time: 5e6, ahead: 0 },
        { time: 5e6, ahead: 100e6 },
        { time: 9e6, ahead: 100e6 },
        { time: 9e6, ahead: 70e6 },
        { time: 9e6, ahead: 70e6 },
      ],
    },
  ]);
});

test("a clock that runs fast is where its server showed it", () => {
  const h = new HistoryBuilder({});
  h.fault(1, "clock-rate", ["node-0"], "seen");
  h.heal(9, "clock-rate", ["node-0"], "gone");
  const wire = wireOf([
    ["node-0", 3, 1],
    ["node-1", 3, 0],
    ["node-0", 7, 3],
  ]);
  const [line, ...others] = clockLinesOf(timelineOf(h.build(), wire));
  expect(others).toEqual([]);
  expect(line?.lanes).toEqual(["node-0"]);
  expect(line?.points.map(({ time, ahead }) => [time / 1e6, ahead / 1e6])).toEqual([
    [0, 0],
    [3, 1],
    [7, 3],
    [9, 3],
  ]);
});

test("clocks that went alike share a line; those that are right have none", () => {
  const h = new HistoryBuilder({});
  h.fault(2, "clock-jump", ["node-2", "node-3"], "seen", { byMs: 10 });
  h.fault(4, "clock-jump", ["node-4"], "seen", { byMs: 10 });
  expect(clockLinesOf(timelineOf(h.build())).map(({ lanes }) => lanes)).toEqual([["node-2", "node-3"], ["node-4"]]);
  expect(clockLinesOf(timelineOf(new HistoryBuilder({}).build(), wireOf([["node-0", 1, 0]])))).toEqual([]);
});
