import { expect, test } from "vitest";
import { EXAMPLE_RUNS, lostInFailover } from "../testdata/example-runs.ts";
import { renderPerfetto } from "./perfetto.ts";
import type { RunRecord } from "./run-record.ts";

interface Entry {
  readonly ph: string;
  readonly tid: number;
  readonly name: string;
  readonly ts?: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

function traced(run: RunRecord): { readonly on: (track: string) => readonly Entry[]; readonly all: readonly Entry[] } {
  const { traceEvents: all } = JSON.parse(renderPerfetto({ runs: [run] })) as { traceEvents: readonly Entry[] };
  const numberOf = (track: string): number | undefined =>
    all.find(({ name, args }) => name === "thread_name" && args?.name === track)?.tid;
  return { all, on: (track) => all.filter(({ ph, tid }) => ph === "X" && tid === numberOf(track)) };
}

test("each track has its slices, in microseconds: operations, holds, faults, writes, the violation", () => {
  const { on } = traced(lostInFailover());
  expect(on("client-0").map(({ name }) => name)).toEqual(["acquire k1", "write k1", "write k1", "release k1"]);
  expect(on("client-1 holds")).toMatchObject([{ name: "k1", ts: 3_443_700, dur: 476_300 }]);
  expect(on("node-0 faults").map(({ name }) => name)).toEqual(["partition", "kill-node"]);
  expect(on("resource")).toHaveLength(3);
  expect(on("violations")).toMatchObject([{ name: "lost-in-failover", ts: 3_443_700, dur: 476_300 }]);
});

test("slices of a track nest, as the format demands: what overlaps in part has a further track", () => {
  const run = lostInFailover();
  const { all, on } = traced(run);
  expect(on("node-0 faults").map(({ name }) => name)).toEqual(["partition", "kill-node"]);
  const overlapping = Object.values(EXAMPLE_RUNS).map((make) => traced(make()).all);
  for (const entries of [all, traced(withTwoMessages(run)).all, ...overlapping]) {
    const tracks = Map.groupBy(
      entries.filter(({ ph }) => ph === "X"),
      ({ tid }) => tid,
    );
    for (const slices of tracks.values()) expect(partialOverlaps(slices)).toEqual([]);
  }
  expect(
    traced(withTwoMessages(run))
      .on("node-0 2")
      .map(({ name }) => name),
  ).toEqual(["GET k1"]);
});

/** Two commands that a server handles at once, neither within the other. */
function withTwoMessages(run: RunRecord): RunRecord {
  const sent = { client: 0, server: "node-0", keys: ["k1"], count: 1, connection: "c", operation: 1, sentNs: 120e6 };
  const messages = [
    { ...sent, command: "SET", reachedNs: 121e6, appliedNs: 123e6, repliedNs: 124e6 },
    { ...sent, command: "GET", reachedNs: 122e6, appliedNs: 125e6, repliedNs: 126e6 },
  ];
  const wire = { messages, keys: [], replication: [], votes: [], leftOut: 0 };
  return { ...run, wire: { format: "lockstorm-wire", version: 1, ...wire } };
}

function partialOverlaps(slices: readonly Entry[]): readonly string[] {
  return slices.flatMap(({ name, ts = 0, dur = 0 }) =>
    slices
      .filter((other) => (other.ts ?? 0) > ts && (other.ts ?? 0) < ts + dur)
      .filter((other) => (other.ts ?? 0) + (other.dur ?? 0) > ts + dur)
      .map((other) => `${name} and ${other.name}`),
  );
}

test("a message is an arrow from the client's operation to the server, which thinks something then", () => {
  const times = { sentNs: 120e6, reachedNs: 121e6, appliedNs: 121e6, repliedNs: 121.3e6 };
  const sent = { client: 0, server: "node-0", command: "SET", keys: ["k1"], count: 1, connection: "c", operation: 1 };
  const key = { server: "node-0", key: "k1", atNs: 121e6, value: "9f2c51d0aa3be4417c88", clockAheadNs: 0 };
  const wire = { messages: [{ ...sent, ...times }], keys: [key], replication: [], votes: [], leftOut: 0 };
  const { on, all } = traced({ ...lostInFailover(), wire: { format: "lockstorm-wire", version: 1, ...wire } });
  expect(on("node-0 thinks")).toMatchObject([{ name: "client-0 holds k1", ts: 121_000 }]);
  const [start, end] = all.filter(({ ph }) => ph === "s" || ph === "f");
  expect(start).toMatchObject({ ph: "s", ts: 120_000, tid: on("client-0")[0]?.tid });
  expect(end).toMatchObject({ ph: "f", ts: 121_000, tid: on("node-0")[0]?.tid });
  // An arrow ends at a slice that is open then: one without a duration is not.
  expect(on("node-0")[0]?.dur).toBeGreaterThan(0);
});

test("a message that a client sends between its operations has a slice of its own, where its arrow begins", () => {
  const times = { sentNs: 4000e6, reachedNs: 4001e6, appliedNs: 4001e6, repliedNs: 4001.3e6 };
  const sent = { client: 0, server: "node-0", command: "GET", keys: ["k1"], count: 1, connection: "c", operation: 1 };
  const wire = { messages: [{ ...sent, ...times }], keys: [], replication: [], votes: [], leftOut: 0 };
  const { on, all } = traced({ ...lostInFailover(), wire: { format: "lockstorm-wire", version: 1, ...wire } });
  const start = all.find(({ ph }) => ph === "s");
  expect(start).toMatchObject({ ts: 4_000_000, tid: on("client-0")[0]?.tid });
  const sending = on("client-0").find(({ name }) => name === "sends GET k1");
  expect(sending).toMatchObject({ ts: 4_000_000 });
  expect(sending?.dur).toBeGreaterThan(0);
});
