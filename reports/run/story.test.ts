import { describe, expect, test } from "vitest";
import type { Violation } from "../../harness/core/verdict.ts";
import { checkHistory } from "../../harness/check/check.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import { headlineOf } from "./headline.ts";
import { momentsOf } from "./moments.ts";
import type { RunRecord } from "./run-record.ts";
import { aboutKeys, overlapWords, storiesOf, type Story } from "./story.ts";
import { EXAMPLE_RUNS, lostInFailover, pausedPastLease, releaseAfterLoss } from "../testdata/example-runs.ts";
import { HistoryBuilder } from "../testdata/history-builder.ts";
import { longRun } from "../testdata/long-run.ts";
import { timelineOf } from "./timeline.ts";

function tell(run: RunRecord): readonly Story[] {
  return storiesOf(run.verdict, timelineOf(run.history), run.history.events);
}

const only = (run: RunRecord): Story => {
  const [story] = tell(run);
  if (story === undefined) throw new Error("no story");
  return story;
};

describe("stories", () => {
  test("the mark of a violation says what happens in it: where nobody holds, nobody is said to", () => {
    const story = only(lostInFailover());
    const [hold] = story.holds;
    if (hold === undefined) throw new Error("no hold");
    expect(overlapWords(story)).toBe("both hold");
    expect(overlapWords({ ...story, holds: [...story.holds, hold] })).toBe("all hold");
    expect(overlapWords({ properties: ["deadlock-freedom"], holds: [] })).toBe("no client gets it");
    expect(overlapWords({ properties: ["first-come-first-served"], holds: [] })).toBe("overtaken");
    expect(overlapWords({ properties: ["linearizability"], holds: [hold] })).toBe("violated");
  });

  test("the holders are in conflict; where nobody holds wrongly, the clients that the proof names, and no others", () => {
    expect(only(lostInFailover()).conflicting).toEqual(["client-0", "client-1"]);
    const long = { ttlMs: 5000, waitMs: 5000 };
    const { history } = new Recording({ clients: 4, backend: "simulated" })
      .acquire(0, 3, "x", long)
      .seek(10, 0, long)
      .queued(20, 0)
      .seek(30, 2, long)
      .release(100, 3, "x")
      .granted(110, 2, "z")
      .release(200, 2, "z")
      .granted(210, 0, "y", { grantedAtMs: 201 });
    const [overtaken] = storiesOf(checkHistory(history), timelineOf(history), history.events);
    expect(overtaken?.violation.cause).toBe("overtaken");
    expect(overtaken?.lanes).toContain("client-3");
    expect(overtaken?.conflicting.toSorted()).toEqual(["client-0", "client-2"]);
  });

  test("a violation has the time at which a client shows it, not that of its picture or of the resource's record", () => {
    const times = ({ header, events }: Recording["history"]): Readonly<Record<string, readonly number[]>> => {
      const history = { header: { ...header, clients: 2 }, events };
      const stories = storiesOf(checkHistory(history), timelineOf(history), events);
      return Object.fromEntries(
        stories.map(({ properties: [property] }) => [
          property,
          stories.filter(({ properties }) => properties[0] === property).map(({ at }) => at / 1e6),
        ]),
      );
    };
    const lost = new Recording()
      .acquire(10, 0, "a")
      .write(20, 0, "a", "x")
      .wrote(21, 0, 1)
      .release(30, 0, "a")
      .acquire(40, 1, "b")
      .release(50, 1, "b")
      .audit(900, 1, "y", { owner: "b" });
    expect(times(lost.history)).toMatchObject({ "lost-updates": [21] });
    const foreign = new Recording().acquire(10, 0, "a").release(100, 1, "z").acquire(300, 1, "b").release(400, 0, "a");
    expect(times(foreign.history)).toMatchObject({ "owner-release": [101, 401], linearizability: [101] });
    const stuck = new Recording().acquire(10, 0, "a").release(50, 0, "a").fail(4000, 1).fail(8000, 1);
    expect(times(stuck.history)).toEqual({ "deadlock-freedom": [4001, 8001] });
  });

  test("is drawn without what servers thought of other keys, and without the writes behind those", () => {
    const run = lostInFailover();
    const timeline = timelineOf(run.history);
    const story = only(run);
    const [operation] = timeline.operations;
    const [write] = timeline.writes;
    if (operation === undefined || write === undefined) throw new Error("nothing to change");
    const band = { server: "node-0", client: 1, actor: "client-1", from: 0, to: 1, clockAheadNs: 0, twice: false };
    const crowded = {
      ...timeline,
      operations: [...timeline.operations, { ...operation, key: "k2" }],
      bands: ["k1", "k2", "prefix:k1"].map((key) => ({ ...band, key })),
      writes: [...timeline.writes, { ...write, key: "k2" }],
    };
    const { bands, writes } = aboutKeys(story, crowded);
    expect(story.keys).toEqual(["k1"]);
    expect(bands.map(({ key }) => key)).toEqual(["k1", "prefix:k1"]);
    expect(writes).toEqual(timeline.writes);
  });

  test("two properties that see the same two holders tell one story, different causes tell two", () => {
    expect(tell(lostInFailover()).map(({ properties }) => properties)).toEqual([
      ["mutual-exclusion", "lease-exclusion"],
    ]);
    expect(tell(releaseAfterLoss()).map(({ properties }) => properties)).toEqual([
      ["mutual-exclusion"],
      ["owner-release"],
    ]);
    expect(tell(EXAMPLE_RUNS.takingTurns())).toEqual([]);
  });

  test("a property whose proof contains that of another sees the same; a later clash of the same owners does not", () => {
    const run = lostInFailover();
    const [seen] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
    if (seen === undefined) throw new Error("no violation");
    const { overlap: _, ...without } = seen;
    const told = (events: readonly number[]): readonly unknown[] => {
      const linearizability = { verdict: "invalid" as const, violations: [{ ...without, events }] };
      const properties = { ...run.verdict.properties, linearizability };
      return tell({ ...run, verdict: { ...run.verdict, properties } }).map((story) => story.properties.length);
    };
    expect(told([...seen.events, 21])).toEqual([3]);
    expect(told([16, 20])).toEqual([2, 1]);
  });

  test("two properties that see the wrong fencing token of one grant tell one story, of two grants two", () => {
    const histories = (again: boolean): RunRecord => {
      const recording = new Recording({ clients: 3 })
        .acquire(0, 0, "a", { fence: 5 })
        .release(2, 0, "a")
        .acquire(4, 1, "b", { fence: 4 })
        .release(6, 1, "b");
      if (again) recording.acquire(8, 2, "c", { fence: 5 });
      return { history: recording.history, verdict: checkHistory(recording.history) };
    };
    const both = ["fencing-tokens", "linearizability"];
    expect(tell(histories(false)).map(({ properties }) => properties)).toEqual([both]);
    expect(tell(histories(true)).map(({ properties }) => properties)).toEqual([both, ["fencing-tokens"]]);
  });

  test("the holders of more permits than there are all belong to it, whoever else holds meanwhile", () => {
    const two = { limit: 2 };
    const { history } = new Recording()
      .acquire(0, 0, "a", two)
      .acquire(20, 1, "b", two)
      .acquire(40, 2, "c", two)
      .release(100, 2, "c")
      .release(110, 0, "a")
      .release(120, 1, "b")
      .acquire(200, 3, "d", two)
      .release(250, 3, "d");
    const run = { history, verdict: checkHistory(history, { required: ["mutual-exclusion"] }) };
    const story = only(run);
    expect(story.holds.map(({ owner }) => owner)).toEqual(["a", "b", "c"]);
    expect(overlapWords(story)).toBe("all hold");
    expect(headlineOf(run)).toMatch(/^client-0, client-1 and client-2 all held k for \d+ ms/);
  });

  test("what led to a violation is said once, however many properties see it", () => {
    const run = lostInFailover();
    const [seen] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
    if (seen === undefined) throw new Error("no violation");
    const told = (account: string, cause: string): Violation => ({
      ...seen,
      explanation: `${account} ${cause}`,
      finding: { account, events: seen.events },
    });
    const explained = (...violations: readonly Violation[]): readonly string[] => {
      const properties = { "mutual-exclusion": { verdict: "invalid" as const, violations } };
      return only({ ...run, verdict: { ...run.verdict, properties } }).explanations;
    };
    const one = told("Two clients held it.", "The lock was lost.");
    expect(explained(one, told("No order explains it.", "The lock was lost."))).toEqual([
      "Two clients held it. The lock was lost.",
      "No order explains it.",
    ]);
    expect(explained(one, told("No order explains it.", "Probably: it was lost."))).toHaveLength(2);
    expect(explained(one, one)).toEqual(["Two clients held it. The lock was lost."]);
  });

  test("the same two holders for two reasons are two stories", () => {
    const run = lostInFailover();
    const judged = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
    const again = judged.map((violation): Violation => ({ ...violation, cause: "contradiction" }));
    const properties = { "mutual-exclusion": { verdict: "invalid" as const, violations: [...judged, ...again] } };
    expect(tell({ ...run, verdict: { ...run.verdict, properties } })).toHaveLength(2);
  });

  test("the fault that the verdict names enabled it; a verdict that names none has none, even beside a fault without end", () => {
    expect(only(pausedPastLease()).enabling?.kind).toBe("pause-client");
    expect(only(lostInFailover()).enabling?.kind).toBe("promotion");
    const run = longRun(5500);
    expect(timelineOf(run.history).faults.some(({ healed }) => healed === undefined)).toBe(true);
    expect(only(run).enabling).toBeUndefined();
  });

  test("the window holds the attempts, the overlap and the ends of both holds, and not much more", () => {
    const { window, holds, violation } = only(longRun(9000));
    expect(window.from).toBeLessThan(Math.min(...holds.map(({ invokedAt }) => invokedAt)));
    expect(window.to).toBeGreaterThan(Math.max(...holds.map(({ to }) => to)));
    expect(violation.overlap?.from).toBeGreaterThan(window.from);
    expect(window.to - window.from).toBeLessThan(8e6);
  });

  test("only faults in force within the window, and not those that were skipped, belong to it", () => {
    const h = new HistoryBuilder({ clients: 2 });
    h.fault(1, "latency", ["client-1"], "long ago");
    h.heal(5, "latency", ["client-1"], "gone");
    h.tries(0, 1000, 500);
    const first = h.granted(0, 1001, { owner: "a" });
    h.fault(1002, "stall", ["node-0"], "not done", { outcome: "skipped" });
    h.fault(1003, "reset", ["node-0"], "seen");
    h.tries(1, 1004, 500);
    const second = h.granted(1, 1005, { owner: "b" });
    h.releases(0, 1010, "a");
    h.releases(1, 1011, "b");
    h.fault(3000, "failover", ["node-0"], "much later");
    const violation: Violation = {
      events: [first, second],
      cause: "double-grant",
      holders: [
        { process: 0, owner: "a" },
        { process: 1, owner: "b" },
      ],
      overlap: { from: 1005e6, to: 1010e6 },
      explanation: "x",
    };
    const verdict = {
      verdict: "invalid" as const,
      required: [],
      properties: { "mutual-exclusion": { verdict: "invalid" as const, violations: [violation] } },
      reasons: [],
      remarks: [],
    };
    const story = only({ history: h.build(), verdict });
    expect(story.faults.map(({ kind }) => kind)).toEqual(["reset"]);
    expect(story.lanes).toEqual(["client-0", "client-1", "node-0"]);
  });
});

describe("moments", () => {
  const tellMoments = (run: RunRecord, most: number) => momentsOf(only(run), timelineOf(run.history), most);

  test("all are told in order where there is room", () => {
    const { moments, leftOut } = tellMoments(pausedPastLease(), 50);
    expect(leftOut).toBe(0);
    const order = moments.map(({ time }) => time);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test("proof and cause stay when there is little room, and what is left out is counted", () => {
    const all = tellMoments(pausedPastLease(), 50).moments;
    const { moments, leftOut } = tellMoments(pausedPastLease(), 5);
    expect(moments.map(({ index, text }) => index ?? text)).toEqual([
      1,
      5,
      "client-0's lease is over; it still holds",
      9,
      13,
    ]);
    expect(leftOut).toBe(all.length - 5);
  });

  test("of the context, what is nearest to the violation is told", () => {
    const run = longRun(9000);
    const { moments, leftOut } = momentsOf(
      { ...only(run), window: { from: 0, to: 9e12 } },
      timelineOf(run.history),
      12,
    );
    const middle = only(run).violation.overlap?.from ?? 0;
    expect(leftOut).toBeGreaterThan(100);
    for (const { time } of moments) expect(Math.abs(time - middle)).toBeLessThan(200e6);
  });

  test("an operation of the proof that nothing else tells is told", () => {
    const [, story] = tell(releaseAfterLoss());
    if (story === undefined) throw new Error("no second story");
    const { moments } = momentsOf(story, timelineOf(releaseAfterLoss().history), 50);
    expect(moments.map(({ text }) => text)).toContain("client-0: release k1 says released");
  });
});
