import { expect, test } from "vitest";
import { lostInFailover, pausedPastLease } from "../testdata/example-runs.ts";
import { beliefsAt } from "./beliefs.ts";
import { timelineOf } from "./timeline.ts";

const MS = 1e6;

test("what each client believes at an instant: that it waits, that it holds, and for how much longer", () => {
  const timeline = timelineOf(lostInFailover().history);
  const at = (ms: number): readonly string[] =>
    beliefsAt(["client-0", "client-1"], ms * MS, timeline).map(({ says, holds }) => `${says}${holds ? " *" : ""}`);
  expect(at(1)).toEqual(["does nothing", "does nothing"]);
  expect(at(120.5)).toEqual(["asks for k1", "does nothing"]);
  expect(at(3500)).toEqual(["holds k1, lease for another 6,619 ms *", "holds k1, lease for another 9,941 ms *"]);
  expect(at(4000)).toEqual(["holds k1, lease for another 6,119 ms *", "does nothing"]);
});

test("a client that is stopped believes what it believed before; a server that a fault stops is stopped", () => {
  const timeline = timelineOf(pausedPastLease().history);
  expect(beliefsAt(["client-0"], 1100 * MS, timeline)).toEqual([
    { lane: "client-0", says: "holds k1, though its lease ended 101 ms ago; pause-client", holds: true },
  ]);
  const failover = timelineOf(lostInFailover().history);
  expect(beliefsAt(["node-0", "node-1"], 3500 * MS, failover)).toEqual([
    { lane: "node-0", says: "partition, kill-node", holds: false },
    { lane: "node-1", says: "master since 3,412 ms; partition", holds: false },
  ]);
});
