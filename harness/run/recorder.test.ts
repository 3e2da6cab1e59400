import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHistory } from "../history/history-reader.ts";
import type { Unstamped } from "../history/history.ts";
import { Recorder } from "./recorder.ts";

const promotion: Unstamped = {
  process: "nemesis",
  type: "fault",
  f: "promotion",
  value: { phase: "start", targets: ["node-1"], outcome: "installed" },
};

test("the first line says the format and the facts", () => {
  const lines: string[] = [];
  const recorder = new Recorder(
    { clients: 2, lock: "single", seed: 7 },
    () => 0,
    (line) => lines.push(line),
  );
  expect(lines).toEqual(['{"format":"lockstorm-history","version":2,"clients":2,"lock":"single","seed":7}\n']);
  expect(recorder.history).toEqual({ header: JSON.parse(lines[0] ?? ""), events: [] });
});

test("indices have no gaps and times never decrease, regardless of the clock reads", () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (readings) => {
      const clock = readings.values();
      const recorder = new Recorder({}, () => clock.next().value ?? 0);
      for (const _ of readings) recorder.record(promotion);
      const { events } = recorder.history;
      expect(events.map(({ index }) => index)).toEqual(readings.map((_, index) => index));
      const highest = readings.map((_, index) => Math.max(...readings.slice(0, index + 1)));
      expect(events.map(({ time }) => time)).toEqual(highest);
    }),
  );
});

test("the sink has an event before record returns, as one line that can be read back", () => {
  const lines: string[] = [];
  const recorder = new Recorder(
    { clients: 1 },
    () => 5,
    (line) => lines.push(line),
  );
  const recorded = recorder.record(promotion);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toBe(`${JSON.stringify(recorded)}\n`);
  expect(parseHistory(lines.join(""), "the sink")).toEqual(recorder.history);
});

test("after sealing nothing is added: neither to the history nor to the sink", () => {
  const lines: string[] = [];
  const recorder = new Recorder(
    {},
    () => 5,
    (line) => lines.push(line),
  );
  recorder.record(promotion);
  recorder.seal();
  recorder.record(promotion);
  expect(recorder.history.events).toHaveLength(1);
  expect(lines).toHaveLength(2);
});

test("a sink that cannot write makes record throw, so that no event is lost in silence", () => {
  const recorder = new Recorder(
    {},
    () => 5,
    (line) => {
      if (line.includes("promotion")) throw new Error("the disk is full");
    },
  );
  expect(() => recorder.record(promotion)).toThrow("the disk is full");
});
