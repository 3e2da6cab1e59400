import { expect, test } from "vitest";
import type { WireRecord } from "../../../../harness/core/messages/wire-record.ts";
import { RESOURCE } from "../../../../harness/core/topology.ts";
import { beliefsAt } from "../../../run/beliefs.ts";
import type { RunRecord } from "../../../run/run-record.ts";
import { timelineOf } from "../../../run/timeline.ts";
import { EXAMPLE_RUNS, lostInFailover } from "../../../testdata/example-runs.ts";
import { longRun } from "../../../testdata/long-run.ts";
import { lanesOf, runData } from "../../page-data.ts";
import { Beliefs } from "./beliefs-at.ts";
import { modelOf } from "../run-model.ts";
import { SpansAt } from "./spans-at.ts";

/** A failover of which the servers' values were recorded. */
function recordedFailover(): RunRecord {
  const run = lostInFailover();
  const grants = run.history.events.flatMap((event) =>
    event.type === "ok" && event.f === "acquire" ? [{ owner: event.value.owner, time: event.time }] : [],
  );
  const wire: WireRecord = {
    format: "lockstorm-wire",
    version: 1,
    messages: [],
    replication: [],
    votes: [],
    leftOut: 0,
    keys: grants.map(({ owner, time }, place) => ({
      server: `node-${place}`,
      key: "k1",
      atNs: time,
      value: owner,
      expiresInNs: 2e9,
      clockAheadNs: 0,
    })),
  };
  return { ...run, wire };
}

const RUNS = {
  ...Object.fromEntries(Object.entries(EXAMPLE_RUNS).map(([name, make]) => [name, make])),
  "servers that were recorded": recordedFailover,
  "many clients": () => longRun(500),
};

test.each(Object.entries(RUNS))("%s: at any instant the page says what the moments of a story say", (_, make) => {
  const run = make();
  const timeline = timelineOf(run.history, run.wire);
  const beliefs = new Beliefs(modelOf(runData(run)));
  const times = run.history.events.flatMap(({ time }) => [time - 1, time, time + 1]);
  const lanes = lanesOf(timeline, run).map(({ name }) => name);
  expect(lanes.length).toBeGreaterThan(1);
  for (const time of times) {
    const found = beliefs.at(time).filter(({ name }) => lanes.includes(name));
    const wanted = beliefsAt(
      lanes.filter((lane) => lane !== RESOURCE),
      time,
      timeline,
    );
    expect(found, String(time)).toEqual(wanted.map(({ lane, says, holds }) => ({ name: lane, says, holds })));
  }
});

test("a lane that is hidden says nothing", () => {
  const beliefs = new Beliefs(modelOf(runData(lostInFailover())));
  const all = beliefs.at(0).map(({ name }) => name);
  expect(beliefs.at(0, new Set([0])).map(({ name }) => name)).toEqual(all.slice(1));
});

test("spans that overlap are found whichever of them is longer", () => {
  const random = (() => {
    let state = 7;
    return (): number => (state = (state * 48_271) % 2_147_483_647) % 100;
  })();
  const spans = Array.from({ length: 200 }, () => random())
    .toSorted((one, other) => one - other)
    .map((from) => ({ from, to: from + (random() % 40) }));
  const index = new SpansAt(spans);
  for (let time = -1; time < 150; time += 0.5) {
    expect(index.at(time)).toEqual(spans.filter(({ from, to }) => from <= time && time < to));
  }
});
