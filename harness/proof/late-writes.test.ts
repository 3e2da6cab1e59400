import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import type { Outcome } from "../core/verdict.ts";
import type { JudgedRun } from "./changed-run.ts";
import { issuesFences, refusesLateWrites } from "./late-writes.ts";

const run = ({ history }: Recording, outcome: Outcome): JudgedRun =>
  ({
    history,
    verdict: { properties: { "stale-writes": { verdict: outcome, violations: [] } } },
  }) as unknown as JudgedRun;
const written = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a", { fence: 1 }).write(10, 0, "a", "x");

it("a resource helps if it refused a write of that client, and accepted none with an old fencing token", () => {
  const refused = written().refuseWrite(11, 0);
  expect(refusesLateWrites(run(refused, "valid"), 0)).toBe("prevents");
  expect(refusesLateWrites(run(refused, "valid"), undefined)).toBe("prevents");
  expect(refusesLateWrites(run(refused, "valid"), 1)).toBe("undecided");
  expect(refusesLateWrites(run(refused, "invalid"), 0)).toBe("no-help");
  expect(refusesLateWrites(run(refused, "unknown"), 0)).toBe("undecided");
  expect(refusesLateWrites(run(written().wrote(11, 0, 1), "valid"), 0)).toBe("undecided");
});

it("a resource has nothing to check if no grant has a fencing token", () => {
  expect(issuesFences(written().history)).toBe(true);
  expect(issuesFences(new Recording().acquire(0, 0, "a").history)).toBe(false);
});
