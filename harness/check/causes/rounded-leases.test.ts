import { expect, test } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** A lease until 1,000 ms, and another grant that is answered at this time. */
function granted(atMs: number, facts: { backend?: string } = {}, other = "b", ttlMs = 1000): Recording {
  return new Recording({ clients: 3, ...facts })
    .seek(1000 - ttlMs, 0, { ttlMs })
    .granted(1000.2 - ttlMs, 0, "a", { validForMs: ttlMs, grantedAtMs: 1000 - ttlMs })
    .seek(atMs - 0.3, 1)
    .granted(atMs, 1, other)
    .release(1300, 0, "a");
}

test("a lock that grants a key again within the last millisecond of a lease ended it early", () => {
  const [violation] = violationsOf("lease-exclusion", granted(999.4, { backend: "simulated" }));
  expect(violation).toMatchObject({ cause: "rounded-lease", proof: { standing: "proven" } });
  expect(violation?.explanation).toContain(
    "client-1 was granted it only 0.6 ms before the lease of client-0 ended, at 1,000 ms. The lock ended the lease of client-0 up to a millisecond before the time that it had promised, as one does that counts leases in whole milliseconds and promises no less, or it granted the lock twice.",
  );
  expect(violationsOf("mutual-exclusion", granted(999.4))[0]).toMatchObject({
    cause: "rounded-lease",
    proof: { standing: "probable" },
  });
});

test.each([
  ["a millisecond before the end", granted(999)],
  ["the same owner value", granted(999.4, {}, "a")],
  ["a lease of less than a hundred milliseconds", granted(999.4, {}, "b", 99)],
])("not with %s", (_, recording) => {
  expect(violationsOf("lease-exclusion", recording)[0]?.cause).toBe("double-grant");
});

test("of several permits, it may be that of any holder", () => {
  const permits = new Recording({ clients: 3 })
    .acquire(0, 2, "c", { limit: 2, ttlMs: 5000 })
    .seek(10, 0, { limit: 2 })
    .granted(10.2, 0, "a", { validForMs: 1000, grantedAtMs: 10 })
    .seek(1009, 1, { limit: 2 })
    .granted(1009.5, 1, "b")
    .release(1300, 0, "a")
    .release(1400, 2, "c");
  const [violation] = violationsOf("lease-exclusion", permits);
  expect(violation?.cause).toBe("rounded-lease");
  expect(violation?.explanation).toContain("the lock ended the lease of client-0");
});
