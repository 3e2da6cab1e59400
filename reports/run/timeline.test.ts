import { describe, expect, test } from "vitest";
import { HistoryBuilder } from "../testdata/history-builder.ts";
import { timelineOf } from "./timeline.ts";

describe("operations", () => {
  test("an invocation and its completion are one; the open one lasts to the end and is indeterminate", () => {
    const h = new HistoryBuilder({ clients: 2 });
    h.tries(0, 1, 100);
    h.tries(1, 2, 100);
    h.refused(0, 3);
    h.tries(0, 4, 100);
    h.at(9, {
      process: "nemesis",
      type: "fault",
      f: "reset",
      value: { phase: "start", targets: [], outcome: "installed" },
    });
    const spans = timelineOf(h.build()).operations.map(({ process, from, to, outcome }) => [
      process,
      from / 1e6,
      to / 1e6,
      outcome,
    ]);
    expect(spans).toEqual([
      [0, 1, 3, "fail"],
      [1, 2, 9, "info"],
      [0, 4, 9, "info"],
    ]);
  });

  test("a client goes on under process + clients; without a number of clients each process is one", () => {
    expect(timelineOf(new HistoryBuilder({ clients: 3 }).build()).clientOf(7)).toBe(1);
    expect(timelineOf(new HistoryBuilder({}).build()).clientOf(7)).toBe(7);
  });
});

describe("holds", () => {
  test("the lease counts from the answer for its validity, or from the invocation for its TTL", () => {
    const h = new HistoryBuilder({});
    h.tries(0, 10, 100);
    h.granted(0, 20, { owner: "a", validForMs: 50 });
    h.tries(1, 30, 100);
    h.granted(1, 40, { owner: "b" });
    h.releases(0, 200, "a");
    h.releases(1, 210, "b");
    const [first, second] = timelineOf(h.build()).holds;
    expect(first).toMatchObject({ from: 20e6, to: 200e6, lease: [{ from: 20e6, to: 70e6 }], leaseUntil: 70e6 });
    expect(second).toMatchObject({ from: 40e6, to: 210e6, lease: [{ from: 40e6, to: 130e6 }], endedBy: "release" });
  });

  test("an extension prolongs the lease; a late one leaves a gap", () => {
    const extended = (atMs: number): unknown => {
      const h = new HistoryBuilder({});
      h.tries(0, 0, 100);
      h.granted(0, 0, { owner: "a" });
      h.at(atMs, { process: 0, type: "invoke", f: "extend", key: "k1", value: { owner: "a", ttlMs: 100 } });
      h.at(atMs + 1, { process: 0, type: "ok", f: "extend", key: "k1", value: { owner: "a" } });
      h.releases(0, 400, "a");
      return timelineOf(h.build()).holds[0]?.lease.map(({ from, to }) => [from / 1e6, to / 1e6]);
    };
    expect(extended(50)).toEqual([[0, 150]]);
    expect(extended(200)).toEqual([
      [0, 100],
      [201, 300],
    ]);
  });

  test("a kill ends what the client held; a lease beyond the hold is cut", () => {
    const h = new HistoryBuilder({ clients: 2 });
    h.tries(0, 0, 100);
    h.granted(0, 1, { owner: "a" });
    const kill = h.fault(20, "kill-client", ["client-0"], "gone", { processes: [0] });
    h.tries(1, 30, 100);
    expect(timelineOf(h.build()).holds).toMatchObject([
      { to: 20e6, endedBy: "kill", ended: kill, lease: [{ from: 1e6, to: 20e6 }], leaseUntil: 100e6 },
    ]);
  });
});

describe("faults", () => {
  test("a heal belongs to the last open start of the same kind and targets", () => {
    const h = new HistoryBuilder({});
    h.fault(1, "partition", ["node-0", "node-1"], "cut");
    h.fault(2, "partition", ["client-0", "node-1"], "cut too");
    h.heal(5, "partition", ["node-0", "node-1"], "healed");
    h.tries(0, 9, 1);
    const spans = timelineOf(h.build()).faults;
    expect(spans).toMatchObject([
      { from: 1e6, to: 5e6, healed: 2, evidence: "cut", healEvidence: "healed", lanes: ["node-0", "node-1"] },
      { from: 2e6, to: 9e6, lanes: ["client-0", "node-1"] },
    ]);
    expect(spans[1]?.healed).toBeUndefined();
  });

  test("of two of the same kind and targets, the later is healed first", () => {
    const h = new HistoryBuilder({});
    h.fault(1, "stall", ["node-0"], "one");
    h.fault(2, "stall", ["node-0"], "two");
    h.heal(3, "stall", ["node-0"], "two is over");
    h.heal(4, "stall", ["node-0"], "one is over");
    expect(timelineOf(h.build()).faults.map(({ healEvidence }) => healEvidence)).toEqual([
      "one is over",
      "two is over",
    ]);
  });

  test("a jump or a failover without a heal is a moment, a partition lasts to the end, a skipped one has no length", () => {
    const h = new HistoryBuilder({});
    h.fault(1, "clock-jump", ["node-0"], "moved");
    h.fault(2, "pause-client", ["client-0"], "stopped");
    h.fault(3, "partition", ["node-0"], "no", { outcome: "skipped" });
    h.tries(0, 9, 1);
    expect(timelineOf(h.build()).faults.map(({ from, to }) => (to - from) / 1e6)).toEqual([0, 7, 0]);
  });
});

test("writes keep the order in which the resource saw them", () => {
  const h = new HistoryBuilder({});
  h.writes(0, 1, { owner: "a", fence: 3, data: "x" });
  h.writes(1, 5, { owner: "b", fence: 2, data: "y" }, { accepted: false, position: 1 });
  expect(timelineOf(h.build()).writes).toMatchObject([
    { owner: "a", fence: 3, data: "x", accepted: true, position: 1, time: 1.5e6 },
    { owner: "b", fence: 2, data: "y", accepted: false, time: 5.5e6 },
  ]);
});
