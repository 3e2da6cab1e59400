import { expect, test } from "vitest";
import type { History, HistoryEvent } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const MS = 1_000_000;
const required = ["mutual-exclusion"] as const;

function frozen(recording: Recording, value: { from: number; to: number; lasts?: boolean }): History {
  const { header, events } = recording.history;
  const notice: HistoryEvent = {
    index: events.length,
    time: 40 * MS,
    process: "harness",
    type: "notice",
    f: "freeze",
    value: { targets: ["node-0"], evidence: "somebody paused its container", ...value },
  };
  return { header, events: [...events, notice] };
}

const met = (): Recording => new Recording({ clients: 2 }).acquire(1, 0, "a").fail(5, 1).release(10, 0, "a");
const broken = (): Recording => new Recording({ clients: 2 }).acquire(1, 0, "a").acquire(5, 1, "b").release(10, 0, "a");

test.each([true, false])("a freeze that no fault explains makes a run unknown (foreign: %s)", (foreign) => {
  const history = frozen(met(), { from: 2 * MS, to: 4 * MS });
  const { verdict, reasons } = checkHistory(history, { required, foreign });
  expect([verdict, reasons]).toEqual([
    "unknown",
    ["node-0 did not run from 2 ms to 4 ms, and no fault of the plan explains it: somebody paused its container"],
  ]);
});

test("one that lasts is said to", () => {
  const { reasons } = checkHistory(frozen(met(), { from: 2 * MS, to: 40 * MS, lasts: true }), { required });
  expect(reasons[0]).toMatch(/^node-0 did not run from 2 ms to the end of the run, and/);
});

test("a violation stays one, and names a freeze before its end as a probable part of the cause", () => {
  const { verdict, properties } = checkHistory(frozen(broken(), { from: 2 * MS, to: 4 * MS }), { required });
  expect(verdict).toBe("invalid");
  expect(properties["mutual-exclusion"]?.violations[0]?.explanation).toMatch(
    /node-0 did not run from 2 ms to 4 ms, which no fault of the plan explains and which is probably part of the cause\.$/,
  );
});

test("one after the violation is no cause of it", () => {
  const { properties } = checkHistory(frozen(broken(), { from: 20 * MS, to: 30 * MS }), { required });
  expect(properties["mutual-exclusion"]?.violations[0]?.explanation).not.toContain("did not run");
});
