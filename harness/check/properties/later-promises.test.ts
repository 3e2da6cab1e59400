import { expect, test } from "vitest";
import { Findings, VALID } from "../findings.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";
import { LaterPromises } from "./later-promises.ts";

const judged = (recording: Recording): string => judge("deadlock-freedom", recording);

const OWN = { ttlMs: 1000, validForMs: 600_000 };

/** Client 0 asks and does not hear the answer; client 1 is refused every minute. */
const refusedUntil = (untilMs: number): Recording => {
  const recording = new Recording({ clients: 3, backend: "simulated", topology: "single" })
    .seek(0, 0)
    .fault(1, "reset")
    .info(2, 0, "acquire");
  for (let atMs = 60_000; atMs <= untilMs; atMs += 60_000) recording.fail(atMs, 1);
  return recording;
};

test("a key that stays taken for no longer than a lease that the lock promises later is not stuck", () => {
  expect(judged(refusedUntil(540_000))).toMatch(/^invalid; never-freed/);
  expect(judged(refusedUntil(540_000).acquire(600_100, 1, "b", OWN))).toBe("valid");
  expect(judged(refusedUntil(540_000).acquire(600_100, 1, "b"))).toMatch(/^invalid; never-freed/);
  expect(judged(refusedUntil(540_000).acquire(600_100, 1, "b", { ttlMs: 600_000, validForMs: 600_000 }))).toMatch(
    /^invalid; never-freed/,
  );
});

test("nor if the lock promises it for another key", () => {
  const other = refusedUntil(540_000).on("other").acquire(541_000, 2, "c", OWN);
  expect(judged(other)).not.toMatch(/^invalid/);
});

test("a key that stays taken for longer than that is stuck, since the first of these refusals", () => {
  const longer = refusedUntil(660_000).acquire(700_000, 1, "b", OWN);
  const [violation, ...others] = violationsOf("deadlock-freedom", longer);
  expect(others).toEqual([]);
  expect(violation?.explanation).toMatch(
    /refused k at 660,001 ms as contended, but no client had held it for 659,999 ms/,
  );
  expect(violation?.explanation).toContain("or had been promised, a TTL of more than 600,000 ms");
});

test.each([
  ["later", (recording: Recording) => recording.seek(300_100, 2).info(300_200, 2, "acquire")],
  ["at the same time", (recording: Recording) => recording.seek(300_001, 2).info(300_001, 2, "acquire")],
  ["a fault, at the same time", (recording: Recording) => recording.fault(300_001, "reset")],
])("what may have taken it again begins anew: %s", (_, taken) => {
  const again = taken(refusedUntil(300_000));
  for (let atMs = 360_000; atMs <= 840_000; atMs += 60_000) again.fail(atMs, 1);
  expect(judged(again.acquire(900_300, 1, "b", OWN))).toBe("valid");
});

test("the lease that is told is the longest that the lock promised, also for another key", () => {
  const [violation] = violationsOf("deadlock-freedom", refusedUntil(660_000).on("other").acquire(661_000, 2, "c", OWN));
  expect(violation?.explanation).toContain("or had been promised, a TTL of more than 600,000 ms");
});

test("an expiry that is as long as the lease that the lock promises later proves nothing", () => {
  const seen = (pttlMs: number): Recording => refusedUntil(0).observe(100, 2, pttlMs).acquire(600_100, 1, "b", OWN);
  expect(judged(seen(599_900))).toBe("valid");
  expect(judged(seen(600_100))).toMatch(/^invalid/);
  expect(judged(seen(-1))).toMatch(/^invalid/);
});

test("clients that wait at the same time may refuse one another, if the lock gives back what it took", () => {
  const used = (): Recording =>
    new Recording({ clients: 3, backend: "simulated", topology: "sentinel" })
      .fault(0, "partition")
      .fault(1, "partition", { phase: "heal" })
      .acquire(5, 0, "a")
      .release(10, 0, "a");
  const beside = (waitMs = 8000): Recording =>
    used().seek(20, 1, { waitMs: 8000 }).seek(30, 2, { waitMs }).refused(8020, 1).refused(8030, 2);
  const lacking = "0 of 1 replicas acknowledged the grant";
  expect(judged(beside())).toMatch(/^invalid; never-freed/);
  expect(judged(beside().seek(8100, 1).refused(8200, 1, lacking))).not.toMatch(/^invalid/);
  // A fault may have made it fail.
  const faulty = beside()
    .seek(8100, 1)
    .fault(8150, "stall")
    .refused(8200, 1, lacking)
    .fault(8300, "stall", { phase: "heal" });
  expect(judged(faulty)).toMatch(/^invalid; never-freed/);
  // What tries once and is refused has taken nothing.
  expect(judged(beside(0).seek(8100, 1).refused(8200, 1, lacking))).toMatch(/^invalid; never-freed/);
});

test("what needs a longer lease than is promised later is found after any number of others", () => {
  const promises = new LaterPromises();
  const findings = new Findings("deadlock-freedom");
  const found: number[] = [];
  const keep = (explainedFromMs: number): void =>
    promises.keep({
      explainedFrom: explainedFromMs * 1e6,
      isBesideAnother: false,
      describe: () => {
        found.push(explainedFromMs);
        return { property: "deadlock-freedom", events: [], cause: "never-freed", explanation: "" };
      },
    });
  for (let count = 0; count < 3000; count += 1) keep(500_000);
  keep(700_000);
  keep(500_000);
  const [request, answer] = new Recording().acquire(0, 0, "a", OWN).history.events;
  if (request?.type !== "invoke" || request.f !== "acquire" || answer?.type !== "ok" || answer.f !== "acquire")
    throw new Error("an acquire");
  promises.hear(request, answer);
  promises.settle(findings);
  expect(findings.verdict(VALID).verdict).toBe("invalid");
  expect(found).toEqual([700_000]);
});

test("is violated by a lock with a longer lease of its own of which no answer tells, and says what was so then", () => {
  const kept = (validForMs?: number): Recording => {
    const told = validForMs === undefined ? {} : { validForMs };
    const recording = new Recording({ clients: 2, backend: "simulated", topology: "single" })
      .acquire(0, 0, "a", { ttlMs: 1000, ...told })
      .lost(900, 0, "a");
    for (let at = 1500; at < 8000; at += 500) recording.fail(at, 1);
    return recording.acquire(8100, 1, "b", { ttlMs: 1000 }).release(8200, 1, "b");
  };
  expect(judge("deadlock-freedom", kept(8000))).toBe("valid");
  const [violation] = violationsOf("deadlock-freedom", kept());
  expect(violation?.explanation).toMatch(
    /No client had asked for a TTL of more than 1,000 ms\. The lock had not become free by itself\.$/,
  );
});
