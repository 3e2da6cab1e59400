import { expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const recording = (): Recording => new Recording({ clients: 2, backend: "simulated", topology: "single" });

function causesOf(written: Recording): readonly (readonly string[])[] {
  return violationsOf("lease-exclusion", written).map(({ hypotheses = [] }) => hypotheses.map(({ cause }) => cause));
}

it("suspects an extension that was asked for when its lease was over, if the next grant is answered after it", () => {
  const written = recording().acquire(0, 0, "a").seek(1005, 1).extend(1010, 0, "a").granted(1020, 1, "b");
  expect(causesOf(written)).toEqual([["foreign-release", "double-grant"]]);
});

it("suspects the lock first if the extension was asked for in time", () => {
  const inTime = recording().acquire(0, 0, "a").seek(500, 1).extend(800, 0, "a").granted(900, 1, "b");
  expect(causesOf(inTime)).toEqual([["double-grant"]]);
  const delayed = recording()
    .acquire(0, 0, "a")
    .seek(500, 1)
    .seekExtension(990, 0, "a", 1000)
    .extended(1100, 0, "a")
    .granted(1110, 1, "b");
  expect(causesOf(delayed)).toEqual([["double-grant", "foreign-release"]]);
});

it("suspects the extension of an earlier lease too", () => {
  const written = recording()
    .acquire(0, 0, "a")
    .seek(1005, 1)
    .extend(1010, 0, "a")
    .extend(1500, 0, "a")
    .granted(1520, 1, "b");
  expect(causesOf(written)).toEqual([["foreign-release", "double-grant"]]);
});

it("suspects no extension where a second master may have the lock", () => {
  const written = recording()
    .acquire(0, 0, "a")
    .fault(500, "promotion")
    .seek(1005, 1)
    .extend(1010, 0, "a")
    .granted(1020, 1, "b");
  expect(causesOf(written).flat()).not.toContain("foreign-release");
});

it("suspects no extension by a client that is alone", () => {
  const written = new Recording({ clients: 1, backend: "simulated", topology: "single" })
    .acquire(0, 0, "a")
    .extend(1010, 0, "a")
    .release(1020, 0, "a", false);
  const causes = violationsOf("linearizability", written).flatMap(({ hypotheses = [] }) =>
    hypotheses.map(({ cause }) => cause),
  );
  expect(causes).toEqual(["lost-early"]);
});

it("suspects an extension by another client where a holder is told too early that it holds nothing", () => {
  const overwritten = (extend: (written: Recording) => Recording): readonly string[] =>
    violationsOf(
      "linearizability",
      extend(recording().acquire(0, 0, "a").acquire(1020, 1, "b")).release(1500, 1, "b", false),
    ).flatMap(({ hypotheses = [] }) => hypotheses.map(({ cause }) => cause));
  expect(overwritten((it) => it)).toEqual(["lost-early"]);
  expect(overwritten((it) => it.seekExtension(1030, 0, "a", 1000).info(1400, 0, "extend"))).toEqual([
    "foreign-release",
    "lost-early",
  ]);
  expect(overwritten((it) => it.seekExtension(1030, 0, "a", 1000).failExtension(1031, 0))).toEqual(["lost-early"]);
});

it("suspects a fault that loses leases before an extension whose outcome nobody knows", () => {
  const written = recording()
    .acquire(0, 0, "a")
    .acquire(1020, 1, "b")
    .seekExtension(1030, 0, "a", 1000)
    .info(1100, 0, "extend")
    .fault(1200, "restart-node")
    .release(1500, 1, "b", false);
  const causes = violationsOf("linearizability", written).flatMap(({ hypotheses = [] }) =>
    hypotheses.map(({ cause }) => cause),
  );
  expect(causes.slice(0, 2)).toEqual(["lost-in-restart", "foreign-release"]);
});
