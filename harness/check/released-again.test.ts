import { expect, test } from "vitest";
import type { Property } from "../core/verdict.ts";
import { checkHistory } from "./check.ts";
import { violationsOf } from "./testing/judge.ts";
import { Recording } from "./testing/recording.ts";

const facts = { clients: 3, backend: "simulated", topology: "single" };

/** Client 0 has released, and releases again while client 1 holds. */
const twice = (released: boolean, again = true): Recording =>
  new Recording(facts)
    .acquire(0, 0, "a", { ttlMs: 1000 })
    .release(10, 0, "a")
    .acquire(20, 1, "b", { ttlMs: 1000 })
    .release(100, 0, "a", released, again);

const verdictOf = (recording: Recording, property: Property): string =>
  checkHistory(recording.history).properties[property]?.verdict ?? "none";

test.each([true, false])("a second release that changes nothing is no violation, whether it says %s", (released) => {
  const recording = twice(released).release(500, 1, "b").acquire(510, 2, "c", { ttlMs: 1000 });
  for (const property of ["lease-exclusion", "owner-release", "linearizability"] as const)
    expect(verdictOf(recording, property)).toBe("valid");
});

test("the first release that says that it freed another client's lock is one", () => {
  for (const property of ["owner-release", "linearizability"] as const)
    expect(verdictOf(twice(true, false), property)).toBe("invalid");
});

test("a second release that lets another client in is the cause of that", () => {
  const [violation] = violationsOf("lease-exclusion", twice(true).acquire(110, 2, "c", { ttlMs: 1000 }));
  expect(violation?.cause).toBe("foreign-release");
  expect(violation?.explanation).toMatch(/: a second release by client-0, with owner a \(events 6 and 7\), /);
});

test.each([true, false])(
  "it may end what another task of its client was granted under the same owner value, whether it says %s",
  (released) => {
    const recording = new Recording({ ...facts, tasks: [2, 1, 1] })
      .acquire(0, 0, "a", { ttlMs: 1000 })
      .release(10, 0, "a")
      .seek(95, 3, { ttlMs: 1000 })
      .leave(100, 0, "a", true)
      .granted(110, 3, "a")
      .left(120, 0, released)
      .acquire(130, 1, "b", { ttlMs: 1000 })
      .release(140, 1, "b")
      .release(150, 3, "a", false);
    for (const property of ["lease-exclusion", "owner-release", "linearizability"] as const)
      expect(verdictOf(recording, property)).toBe("valid");
  },
);

test("an extension after the release that succeeds while another client holds is a violation", () => {
  const recording = new Recording(facts)
    .acquire(0, 0, "a", { ttlMs: 1000 })
    .release(10, 0, "a")
    .acquire(20, 1, "b", { ttlMs: 1000 })
    .extend(100, 0, "a", { ttlMs: 1000 });
  expect(verdictOf(recording, "owner-release")).toBe("invalid");
});
