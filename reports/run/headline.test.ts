import { expect, test } from "vitest";
import type { Violation } from "../../harness/core/verdict.ts";
import {
  faultWithoutEffect,
  lostInFailover,
  pausedPastLease,
  releaseAfterLoss,
  takingTurns,
} from "../testdata/example-runs.ts";
import { headlineOf } from "./headline.ts";
import type { RunRecord } from "./run-record.ts";

test("who held what together, how long, because of what, and how much more there is", () => {
  expect(headlineOf(lostInFailover())).toBe(
    "client-0 and client-1 both held k1 for 476 ms: the grant was lost in a failover (promotion of node-1 at 3412 ms).",
  );
  expect(headlineOf(pausedPastLease())).toBe(
    "client-0 and client-1 both held k1 for 204 ms: a client outlived its lease (pause-client of client-0 at 10 ms).",
  );
  expect(headlineOf(releaseAfterLoss())).toBe(
    "client-1 and client-2 both held k1 for 95 ms: a client released a lock that was not its own. One more violation has the same cause.",
  );
});

test("the best hypothesis tells why; what is only probable is called so", () => {
  const explained = (more: Partial<Violation>): RunRecord => {
    const run = lostInFailover();
    const [seen] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
    if (seen === undefined) throw new Error("no violation");
    const hypothesis = { cause: seen.cause, events: [], ground: { on: "history" }, remedies: [] } as const;
    const hypotheses = [{ ...hypothesis, why: "after promotion of node-1 (event 12) it never had k1" }];
    const judged = { verdict: "invalid" as const, violations: [{ ...seen, hypotheses, ...more }] };
    return { ...run, verdict: { ...run.verdict, properties: { "mutual-exclusion": judged } } };
  };
  const held = "client-0 and client-1 both held k1 for 476 ms";
  expect(headlineOf(explained({ proof: { standing: "proven", by: "a run" } }))).toBe(
    `${held}: after promotion of node-1 it never had k1.`,
  );
  expect(headlineOf(explained({ proof: { standing: "probable", by: "a guess" } }))).toBe(
    `${held}. Probably after promotion of node-1 it never had k1.`,
  );
  expect(headlineOf(explained({ proof: { standing: "refuted", by: "runs" } }))).toBe(
    `${held}. It is not known what led to it.`,
  );
});

test("without a violation it says what was tried, and why nothing was proven", () => {
  expect(headlineOf(takingTurns())).toBe(
    "No property was broken: 3 clients were granted the lock 7 times, without a fault.",
  );
  expect(headlineOf(faultWithoutEffect())).toMatch(/^Nothing is proven: partition on client-0 and node-0 was not seen/);
});
