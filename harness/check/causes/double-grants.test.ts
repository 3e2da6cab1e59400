import { expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** Two leases of ten seconds, the second granted at 150 ms within the first, with something in between. */
function twice(between: (recording: Recording) => Recording): Recording {
  return between(new Recording({ clients: 3 }).acquire(0, 0, "a", { ttlMs: 10_000 }))
    .acquire(150, 1, "b", { ttlMs: 10_000 })
    .release(2000, 1, "b")
    .release(2100, 0, "a", false);
}

it("says of a fault that lockstorm does not know that it may have ended the lease", () => {
  const told = (kind: string): string =>
    violationsOf(
      "lease-exclusion",
      twice((recording) => recording.fault(5, kind)),
    )[0]?.explanation ?? "";
  expect(told("sentinel-failover")).toContain(
    "granted it twice (sentinel-failover happened in between, of which lockstorm does not know what it does)",
  );
  expect(told("latency")).toContain("(latency happened in between, which changes the timing but ends no lease)");
});

it("names an owner value that both clients use", () => {
  const told = (owner: string): string =>
    violationsOf(
      "lease-exclusion",
      new Recording({ clients: 3 }).acquire(0, 0, "a").acquire(150, 1, owner).release(300, 0, "a"),
    )[0]?.explanation ?? "";
  const why =
    "both clients use the owner value a: a lock that compares only this value takes the second for the first, which enters again";
  expect(told("a")).toContain(why);
  expect(told("b")).not.toContain("both clients");
});

it("names no other client where one client is granted a lock again in the lease that it failed to give up", () => {
  const told = (sharing: { readonly limit?: number }): string => {
    const recording = new Recording({ clients: 2 }).acquire(0, 0, "a", sharing).leave(100, 0, "a").failRelease(101, 0);
    return violationsOf("linearizability", recording.acquire(150, 0, "b", sharing))[0]?.explanation ?? "";
  };
  expect(told({})).toContain("Probably: the lock granted it while another owner had a lease.");
  expect(told({ limit: 1 })).toContain("Probably: the lock granted more permits than it has.");
});
