import { expect, test } from "vitest";
import { bucketsOf, marginsOf, quantile } from "./metrics.ts";
import { HistoryBuilder } from "../testdata/history-builder.ts";
import { pausedPastLease, takingTurns } from "../testdata/example-runs.ts";
import { timelineOf } from "./timeline.ts";

test("each operation counts in the stretch in which it ended, by its outcome", () => {
  const h = new HistoryBuilder({ clients: 2 });
  h.tries(0, 0, 10);
  h.granted(0, 3, { owner: "a" });
  h.tries(1, 4, 10);
  h.refused(1, 60);
  h.tries(1, 61, 10);
  h.releases(0, 99, "a");
  const buckets = bucketsOf(timelineOf(h.build()), 2);
  expect(buckets.map(({ ok, fail, info }) => [ok, fail, info])).toEqual([
    [1, 0, 0],
    [1, 1, 1],
  ]);
  expect(buckets[0]?.latencies).toEqual({ acquire: { median: 3e6, p99: 3e6, most: 3e6 } });
  expect(buckets[1]?.latencies).toEqual({ release: { median: 1e6, p99: 1e6, most: 1e6 } });
});

test("no operation is lost or counted twice, however many stretches", () => {
  const timeline = timelineOf(takingTurns(20).history);
  for (const buckets of [1, 7, 60]) {
    const total = bucketsOf(timeline, buckets).reduce((sum, { ok, fail, info }) => sum + ok + fail + info, 0);
    expect(total).toBe(timeline.operations.length);
  }
});

test.each([
  [[], 0.5, 0],
  [[4], 0.99, 4],
  [[1, 2, 3, 4], 0.5, 2],
  [[1, 2, 3, 4], 1, 4],
  [Array.from({ length: 100 }, (_, index) => index + 1), 0.99, 99],
])("quantile of %j at %d", (sorted, share, expected) => {
  expect(quantile(sorted, share)).toBe(expected);
});

test("the margin of a hold is what was left of its lease; an overrun is negative", () => {
  const margins = marginsOf(timelineOf(pausedPastLease().history).holds).map((margin) => margin / 1e6);
  expect(margins).toEqual([expect.closeTo(999.5 - 6004, 3), expect.closeTo(1005.6 + 998 - 1210, 3)]);
});
