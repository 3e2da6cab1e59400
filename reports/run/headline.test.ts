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
    "client-0 and client-1 both held k1 for 476 ms: the grant was lost in a failover (promotion of node-1 at 3,412 ms).",
  );
  expect(headlineOf(pausedPastLease())).toBe(
    "client-0 and client-1 both held k1 for 204 ms: a client outlived its lease (pause-client of client-0 at 10 ms).",
  );
  expect(headlineOf(releaseAfterLoss())).toBe(
    "client-1 and client-2 both held k1 for 95 ms: a client released or extended a lock that was not its own. One more violation has the same cause.",
  );
});

test("the best hypothesis tells why; what is only probable is called so", () => {
  const explained = (more: Partial<Violation>): RunRecord => {
    const run = lostInFailover();
    const [seen] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
    if (seen === undefined) throw new Error("no violation");
    const hypothesis = { cause: seen.cause, events: [], ground: { on: "history" }, remedies: [] } as const;
    const hypotheses = [
      { ...hypothesis, why: "after promotion of node-1 (event 12) it never had k1 (events 13, 14 and 15)" },
    ];
    const judged = { verdict: "invalid" as const, violations: [{ ...seen, hypotheses, ...more }] };
    return { ...run, verdict: { ...run.verdict, properties: { "mutual-exclusion": judged } } };
  };
  const held = "client-0 and client-1 both held k1 for 476 ms";
  expect(headlineOf(explained({ proof: { standing: "proven", by: "a run" } }))).toBe(
    `${held}: after promotion of node-1 it never had k1.`,
  );
  const why = "there was no fault: the lock itself granted it twice";
  const [first] = explained({}).verdict.properties["mutual-exclusion"]?.violations[0]?.hypotheses ?? [];
  if (first === undefined) throw new Error("no hypothesis");
  expect(headlineOf(explained({ hypotheses: [{ ...first, why }] }))).toBe(
    `${held}. There was no fault: the lock itself granted it twice.`,
  );
  expect(headlineOf(explained({ proof: { standing: "probable", by: "a guess" } }))).toBe(
    `${held}. Probably after promotion of node-1 it never had k1.`,
  );
  expect(headlineOf(explained({ proof: { standing: "refuted", by: "runs" } }))).toBe(
    `${held}. It is not known what led to it.`,
  );
});

test("a finding without an overlap is told in one sentence, without owner values and the name of the model", () => {
  const told = (account: string, why: string): string => {
    const run = releaseAfterLoss();
    const [seen] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
    if (seen === undefined) throw new Error("no violation");
    const { overlap: _, ...violation } = seen;
    const hypotheses = [{ cause: seen.cause, events: [], ground: { on: "history" }, remedies: [], why }] as const;
    const judged = {
      verdict: "invalid" as const,
      violations: [{ ...violation, finding: { account, events: [] }, hypotheses }],
    };
    return headlineOf({ ...run, verdict: { ...run.verdict, properties: { linearizability: judged } } });
  };
  const success = "the lock reported success, although this owner cannot have held it";
  expect(
    told(
      "No order of the operations on k1 explains that client-0 released it as owner 3df14432… between 2,520.3 ms and 2,520.5 ms, given the model reentrant-fenced-mutex: client-1 as owner 3df14432… held it (since 2,374 ms at the earliest), and its lease cannot have expired before 4,748 ms.",
      success,
    ),
  ).toBe(
    "No order of the operations on k1 explains that client-0 released it between 2,520.3 ms and 2,520.5 ms: client-1 held it, and its lease cannot have expired before 4,748 ms. The lock reported success, although this owner cannot have held it.",
  );
  expect(
    told(
      "client-0 (owner 1b477a54…) released k1 at 1,374.3 ms, while client-1 (process 1, owner 53820d22…) had held it since 1,301.1 ms. The client that released it had been granted it at 0.28 ms.",
      success,
    ),
  ).toBe(
    "client-0 released k1 at 1,374.3 ms, while client-1 had held it since 1,301.1 ms: the lock reported success, although this owner cannot have held it.",
  );
});

test("without a violation it says what was tried, and why nothing was proven", () => {
  expect(headlineOf(takingTurns())).toBe(
    "No property was broken: 3 clients were granted the lock 7 times, without a fault.",
  );
  expect(headlineOf(faultWithoutEffect())).toMatch(/^Nothing is proven: partition on client-0 and node-0 was not seen/);
});
