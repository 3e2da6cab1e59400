/** Readers that become writers: what they hold then, and for how long. */
import { expect, test } from "vitest";
import type { Property } from "../core/verdict.ts";
import { checkHistory } from "./check.ts";
import { violationsOf } from "./testing/judge.ts";
import { Recording } from "./testing/recording.ts";

const lease = { ttlMs: 1000 } as const;
const reading = { ...lease, mode: "shared" } as const;
const writing = { ...lease, mode: "exclusive" } as const;
const facts = { clients: 3, backend: "simulated", topology: "single" };

const both = (): Recording => new Recording(facts).acquire(0, 0, "a", reading).acquire(10, 1, "b", reading);

const verdicts = (recording: Recording): readonly unknown[] => {
  const { properties } = checkHistory(recording.history);
  return (["mutual-exclusion", "lease-exclusion", "owner-release", "linearizability"] as const).map(
    (property: Property) => properties[property]?.verdict,
  );
};

test("a reader that becomes a writer beside another reader breaks exclusion", () => {
  const recording = both().acquire(20, 0, "a", writing).release(40, 0, "a").release(50, 1, "b");
  expect(verdicts(recording).slice(0, 2)).toEqual(["invalid", "invalid"]);
  const [violation] = violationsOf("lease-exclusion", recording);
  expect(violation?.cause).toBe("double-grant");
  expect(violation?.explanation).toMatch(
    /client-0, which held it as a reader, was granted it as a writer at 21 ms\. .*let a reader become a writer while another client held it/,
  );
});

test("so does a reader that is let in beside one that became a writer", () => {
  const recording = new Recording(facts)
    .acquire(0, 0, "a", reading)
    .acquire(20, 0, "a", writing)
    .acquire(30, 1, "b", reading)
    .release(40, 0, "a")
    .release(50, 1, "b");
  expect(verdicts(recording).slice(0, 2)).toEqual(["invalid", "invalid"]);
});

test("a reader may become a writer when the others have released, and others may read when it has released once", () => {
  const recording = both()
    .release(15, 1, "b")
    .acquire(20, 0, "a", writing)
    .release(30, 0, "a")
    .acquire(40, 1, "b2", reading)
    .release(50, 0, "a")
    .release(60, 1, "b2");
  expect(verdicts(recording)).toEqual(["valid", "valid", "valid", "valid"]);
});

test("a reader that was refused reads on beside others", () => {
  const recording = both().seek(20, 0, writing).refused(21, 0).release(40, 0, "a").release(50, 1, "b");
  expect(verdicts(recording)).toEqual(["valid", "valid", "valid", "valid"]);
});

test("a writer that read before does not show that a reader beside it, which had written, had gone when it began to read", () => {
  const recording = new Recording(facts)
    .acquire(0, 0, "a", reading)
    .acquire(10, 0, "a", writing)
    .release(20, 0, "a")
    .acquire(30, 1, "b", reading)
    .leave(40, 0, "a")
    .acquire(41, 1, "b", writing)
    .left(45, 0)
    .release(50, 1, "b");
  expect(verdicts(recording)).toEqual(["valid", "valid", "valid", "valid"]);
});

test("a writer that became a reader may read beside others", () => {
  const recording = new Recording(facts)
    .acquire(0, 0, "a", writing)
    .acquire(10, 0, "a", reading)
    .acquire(20, 1, "b", reading)
    .release(40, 0, "a")
    .release(50, 1, "b");
  expect(verdicts(recording)).toEqual(["valid", "valid", "valid", "valid"]);
});

test("an owner that became a writer and released once may have stayed a reader when it is granted the key again", () => {
  const recording = new Recording(facts)
    .acquire(0, 0, "a", reading)
    .acquire(10, 0, "a", writing)
    .release(20, 0, "a")
    .acquire(30, 0, "a", writing)
    .acquire(40, 1, "b", reading)
    .release(50, 0, "a")
    .release(60, 1, "b");
  expect(verdicts(recording).slice(0, 2)).toEqual(["valid", "valid"]);
});
