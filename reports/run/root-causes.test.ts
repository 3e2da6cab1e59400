import { expect, test } from "vitest";
import type { Violation } from "../../harness/core/verdict.ts";
import { lostInFailover, pausedPastLease, releaseAfterLoss } from "../testdata/example-runs.ts";
import { rootCausesOf } from "./root-causes.ts";
import type { RunRecord } from "./run-record.ts";
import { storiesOf } from "./story.ts";
import { timelineOf } from "./timeline.ts";

function grouped(run: RunRecord): readonly (readonly [cause: string, stories: number])[] {
  const stories = storiesOf(run.verdict, timelineOf(run.history), run.history.events);
  return rootCausesOf(stories).map(({ cause, stories }) => [cause, stories.length]);
}

/** The run with further violations of mutual exclusion before its own. */
function after(run: RunRecord, earlier: readonly Violation[]): RunRecord {
  const judged = run.verdict.properties["mutual-exclusion"];
  if (judged === undefined) throw new Error("nothing judged");
  const violations = [...earlier, ...judged.violations];
  const properties = { ...run.verdict.properties, "mutual-exclusion": { ...judged, violations } };
  return { ...run, verdict: { ...run.verdict, properties } };
}

test("what the lock did comes before what a client did, regardless of the checkers found first", () => {
  const overruns = [2, 6].map((event): Violation => ({ events: [event], cause: "overrun", explanation: "late" }));
  expect(grouped(after(lostInFailover(), overruns))).toEqual([
    ["lost-in-failover", 1],
    ["overrun", 2],
  ]);
  expect(grouped(pausedPastLease())).toEqual([["overrun", 1]]);
});

test("stories of one cause are one group, unless different kinds of faults enabled them", () => {
  expect(grouped(releaseAfterLoss())).toEqual([["foreign-release", 2]]);
  const run = lostInFailover();
  const [seen] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
  if (seen === undefined) throw new Error("no violation");
  const { fault: _, holders: _holders, overlap: _overlap, ...unexplained } = seen;
  expect(grouped(after(run, [{ ...unexplained, events: [1] }]))).toEqual([
    ["lost-in-failover", 1],
    ["lost-in-failover", 1],
  ]);
});
