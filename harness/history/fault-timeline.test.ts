import fc from "fast-check";
import { traitsOf } from "../../faults/traits.ts";
import { expect, it } from "vitest";
import type { FaultTraits } from "../core/fault-traits.ts";
import { FaultTimeline } from "./fault-timeline.ts";
import { Recording } from "../check/testing/recording.ts";

const MS = 1_000_000;

function timelineOf(recording: Recording): FaultTimeline {
  return FaultTimeline.of(recording.history.events);
}

function during(recording: Recording, kind: string, fromMs: number, toMs: number): readonly number[] {
  return timelineOf(recording)
    .during((traits) => traits === traitsOf(kind), fromMs * MS, toMs * MS)
    .map(({ index }) => index);
}

it("knows a lasting fault from its start to its healing", () => {
  const recording = new Recording().fault(10, "latency").fault(20, "latency", { phase: "heal" });
  expect(during(recording, "latency", 0, 9)).toEqual([]);
  expect(during(recording, "latency", 0, 10)).toEqual([0]);
  expect(during(recording, "latency", 12, 15)).toEqual([0]);
  expect(during(recording, "latency", 20, 30)).toEqual([0]);
  expect(during(recording, "latency", 21, 30)).toEqual([]);
});

it("takes one that was never healed to last", () => {
  expect(during(new Recording().fault(10, "latency"), "latency", 500, 600)).toEqual([0]);
});

it("heals the fault with the same targets", () => {
  const recording = new Recording()
    .fault(10, "latency", { targets: ["client-0"] })
    .fault(11, "latency", { targets: ["client-1"] })
    .fault(20, "latency", { targets: ["client-0"], phase: "heal" });
  expect(during(recording, "latency", 30, 40)).toEqual([1]);
});

it("heals the last of several", () => {
  const recording = new Recording().fault(10, "latency").fault(12, "latency").fault(20, "latency", { phase: "heal" });
  expect(during(recording, "latency", 30, 40)).toEqual([0]);
});

it("never heals one that was skipped", () => {
  const recording = new Recording()
    .fault(10, "latency")
    .fault(12, "latency", { outcome: "skipped" })
    .fault(20, "latency", { phase: "heal" });
  expect(timelineOf(recording).faults.map(({ healed }) => healed?.index)).toEqual([2, undefined]);
});

it("knows an instant fault at its instant only", () => {
  const recording = new Recording().fault(10, "kill-node").fault(20, "kill-node", { phase: "heal" });
  expect(during(recording, "kill-node", 5, 10)).toEqual([0]);
  expect(during(recording, "kill-node", 11, 30)).toEqual([]);
});

it("counts a clock that jumps back as another jump", () => {
  const recording = new Recording().fault(10, "clock-jump").fault(20, "clock-jump", { phase: "heal" });
  expect(during(recording, "clock-jump", 5, 30)).toEqual([0, 1]);
  expect(during(recording, "clock-jump", 15, 30)).toEqual([1]);
});

it("leaves out what was skipped, and keeps what was not seen for certain", () => {
  expect(during(new Recording().fault(10, "latency", { outcome: "skipped" }), "latency", 0, 30)).toEqual([]);
  expect(during(new Recording().fault(10, "latency", { outcome: "indeterminate" }), "latency", 0, 30)).toEqual([0]);
});

it("tells the kinds in force", () => {
  const recording = new Recording().fault(10, "latency").fault(12, "reset").fault(14, "latency");
  expect(timelineOf(recording).kindsDuring(0, 30 * MS)).toEqual(["latency", "reset"]);
  expect(timelineOf(recording).kindsDuring(20 * MS, 30 * MS)).toEqual(["latency"]);
});

it("says at once whether any fault counts, as the list of them does", () => {
  const kinds = ["pause-client", "kill-node", "clock-jump", "eviction", "something-else"];
  const event = fc.record({
    f: fc.constantFrom(...kinds),
    heal: fc.boolean(),
    target: fc.nat({ max: 1 }),
    outcome: fc.constantFrom("installed" as const, "skipped" as const),
    later: fc.nat({ max: 2 }),
  });
  const times = fc.nat({ max: 30 });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 15 }),
      times,
      times,
      fc.constantFrom(...kinds),
      (all, one, other, kind) => {
        const [timeline, traits] = [new FaultTimeline(), traitsOf(kind)];
        let time = 0;
        for (const [index, { f, heal, target, outcome, later }] of all.entries()) {
          time += later;
          const value = { phase: heal ? ("heal" as const) : ("start" as const), targets: [`node-${target}`], outcome };
          timeline.push({ index, time, process: "nemesis", type: "fault", f, value });
        }
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const matches = (each: FaultTraits): boolean => each === traits;
        expect(timeline.anyDuring(matches, from, to)).toBe(timeline.during(matches, from, to).length > 0);
      },
    ),
  );
});

it("counts a fault at the very beginning of a time, and at its very end", () => {
  const timeline = timelineOf(new Recording().fault(10, "clock-jump").fault(20, "clock-jump"));
  const matches = (traits: FaultTraits): boolean => traits === traitsOf("clock-jump");
  for (const at of [10, 20]) expect(timeline.anyDuring(matches, at * MS, at * MS)).toBe(true);
  expect(timeline.anyDuring(matches, 20 * MS, 30 * MS)).toBe(true);
  expect(timeline.anyDuring(matches, 11 * MS, 19 * MS)).toBe(false);
});
