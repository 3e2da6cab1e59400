import { expect, test } from "vitest";
import { runData } from "../html/page-data.ts";
import { twoTasksHold } from "../testdata/example-runs.ts";
import { renderPerfetto } from "./perfetto.ts";
import { storiesOf } from "./story.ts";
import { renderSvg } from "./svg.ts";
import { renderText } from "./text.ts";
import { timelineOf } from "./timeline.ts";

const TASKS = ["client-0 (task 0)", "client-0 (task 1)"];
const run = twoTasksHold();

test("each task of a client has a row of its own, under the faults that hit the client", () => {
  const lines = renderText(run, { color: false, width: 100 }).split("\n");
  for (const task of TASKS) {
    const row = lines.findIndex((line) => line.startsWith(`  ${task} `));
    expect(lines[row]).toMatch(/█{20}/);
    expect(lines[row + 1]).toMatch(/^ {4}pause-client .*╳/);
  }
  expect(lines.join("\n")).toContain("client-0 (task 1) is granted k1");
});

test("a story names the two tasks that hold", () => {
  const [story] = storiesOf(run.verdict, timelineOf(run.history), run.history.events);
  expect(story).toMatchObject({ conflicting: TASKS, lanes: [...TASKS] });
});

test("a story shows what other tasks of its client did meanwhile", () => {
  const { history, verdict } = run;
  const moved = history.events.map((event) =>
    event.process === 2 && "key" in event ? { ...event, key: "k2" } : event,
  );
  const [violation] = verdict.properties["mutual-exclusion"]?.violations ?? [];
  if (violation === undefined) throw new Error("nothing to tell of");
  const { holders: _, ...rest } = violation;
  const ofOne = { ...rest, events: violation.events.slice(0, 1) };
  const told = { ...verdict, properties: { linearizability: { verdict: "invalid" as const, violations: [ofOne] } } };
  const [story] = storiesOf(told, timelineOf({ ...history, events: moved }), moved);
  expect(story).toMatchObject({ conflicting: TASKS.slice(0, 1), lanes: TASKS });
});

test("tasks have lanes in the page, a line each in the diagram, and a track each in a trace", () => {
  const { lanes, holds, faults } = runData(run);
  expect(lanes.map(({ name }) => name)).toEqual([...TASKS, "client-1"]);
  expect(holds.map(({ lane }) => lane)).toEqual([0, 1, 2]);
  expect(faults.map((fault) => fault.lanes)).toEqual([[0, 1]]);
  for (const task of TASKS) {
    expect(renderSvg(run)).toContain(`>${task}<`);
    expect(renderPerfetto({ runs: [run] })).toContain(`"${task} holds"`);
  }
});
