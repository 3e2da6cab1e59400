import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import { checkHistory } from "../check/check.ts";
import type { Violation } from "../core/verdict.ts";
import { subjectOf } from "./broken-promise.ts";
import type { JudgedRun } from "./changed-run.ts";

/** Two leases that overlap, and a write of each of the two owners. */
const recorded = new Recording({ clients: 2 })
  .acquire(0, 0, "a")
  .acquire(10, 1, "b")
  .write(20, 0, "a", "x")
  .wrote(21, 0, 1)
  .write(30, 1, "b", "y")
  .wrote(31, 1, 2);
const run = { history: recorded.history, verdict: checkHistory(recorded.history) } as unknown as JudgedRun;
const promise = run.verdict.properties["lease-exclusion"]?.violations[0];
const subjectOfViolation = (violation: Partial<Violation>): string =>
  subjectOf(run, "lost-updates", { cause: "double-grant", explanation: "", events: [], ...violation }).property;

it("asks of two grants in conflict whether the lock broke its promise there", () => {
  expect(promise?.events).toEqual([1, 3]);
  expect(subjectOfViolation({ events: [1, 3] })).toBe("lease-exclusion");
  expect(subjectOfViolation({ events: [1, 4] })).toBe("lost-updates");
});

it("asks the same of writes of the two owners that have the same causes, and came after the grants", () => {
  const same = promise?.hypotheses ?? [];
  expect(subjectOfViolation({ events: [4, 6], hypotheses: same })).toBe("lease-exclusion");
  expect(subjectOfViolation({ events: [4], hypotheses: same })).toBe("lost-updates");
  expect(subjectOfViolation({ events: [4, 6], hypotheses: [] })).toBe("lost-updates");
});

it("takes no later grants to the same two owners for those under which they wrote", () => {
  const reused = new Recording({ clients: 2 })
    .acquire(0, 0, "a")
    .acquire(10, 1, "b")
    .write(20, 0, "a", "x")
    .wrote(21, 0, 1)
    .write(30, 1, "b", "y")
    .release(31, 0, "a")
    .acquire(40, 0, "a")
    .wrote(45, 1, 2);
  const { history } = reused;
  const again = { history, verdict: checkHistory(history) } as unknown as JudgedRun;
  const [first, second] = again.verdict.properties["lease-exclusion"]?.violations ?? [];
  expect([first, second].map((each) => each?.finding?.events)).toEqual([
    [1, 3],
    [3, 10],
  ]);
  const { hypotheses = [] } = first ?? {};
  const alike = { ...second, hypotheses } as Violation;
  const properties = { "lease-exclusion": { verdict: "invalid", violations: [first, alike] } };
  const told = { ...again, verdict: { ...again.verdict, properties } } as unknown as JudgedRun;
  const written = { cause: "double-grant", explanation: "", events: [4, 6, 11], hypotheses } as const;
  expect(subjectOf(told, "lost-updates", written).violation).toBe(first);
});
