import { describe, expect, it } from "vitest";
import type { Violation } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
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
  expect(told("reset")).toContain(
    "(reset happened in between, which ends no lease, but after which a client may send a command a second time, such as a release)",
  );
});

it("says that a lease may not have been prolonged, where the lease of the grant was over", () => {
  const told = (extended: number | undefined, grantedMs: number): string => {
    const begun = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 1000 });
    const held = extended === undefined ? begun : begun.extend(extended, 0, "a", { ttlMs: 1000 });
    return violationsOf("lease-exclusion", held.acquire(grantedMs, 1, "b"))[0]?.explanation ?? "";
  };
  const doubt =
    "granted it twice, or it had not prolonged the lease as it reported: the lease of the grant had ended at 1,000 ms";
  expect(told(500, 1200)).toContain(doubt);
  expect(told(500, 900)).toContain("granted it twice");
  expect(told(500, 900)).not.toContain("prolonged the lease as");
  expect(told(undefined, 900)).not.toContain("prolonged the lease as");
  const coarse = [0, 1, 500, 501, 1200, 1201];
  const times = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 1000 }).extend(500, 0, "a", { ttlMs: 1000 });
  const events = times
    .acquire(1200, 1, "b")
    .history.events.map((event, index) => ({ ...event, time: coarse[index]! * 1e6 }));
  const { properties } = checkHistory({ ...times.history, events }, { foreign: true });
  expect(properties["lease-exclusion"]?.violations[0]?.explanation).toContain(
    "the lease of the grant had ended by 1,00",
  );
  // The lock may have waited for 800 ms, and does not say when the lease began.
  const waited = new Recording({ clients: 2 })
    .seek(0, 0, { ttlMs: 1000, waitMs: 1000 })
    .granted(800, 0, "a")
    .extend(900, 0, "a", { ttlMs: 1000 })
    .acquire(1200, 1, "b");
  const [violation] = violationsOf("lease-exclusion", waited);
  expect(violation?.explanation).toContain("granted it twice");
  expect(violation?.explanation).not.toContain("prolonged the lease as");
});

it("names an inner release after which the lock was granted to another", () => {
  const told = (end: (recording: Recording) => Recording): string =>
    violationsOf(
      "lease-exclusion",
      end(new Recording({ clients: 2 }).acquire(0, 0, "a").reenter(50, 0, "a")).release(300, 1, "b"),
    )[0]?.explanation ?? "";
  const inner =
    "client-0 had entered the lock several times, and an inner release at 100 ms, which must leave it locked, ended its hold";
  expect(told((it) => it.release(100, 0, "a").acquire(150, 1, "b").release(200, 0, "a", false))).toContain(inner);
  expect(told((it) => it.acquire(150, 1, "b").release(200, 0, "a"))).toMatch(/^((?!inner release).)+$/);
  expect(told((it) => it.release(100, 1, "a").acquire(150, 1, "b"))).toContain(
    "client-0 had entered the lock several times, and an inner release by client-1 at 100 ms",
  );
});

it("names a release that was told as failed, where the lock was granted to another after it", () => {
  const told = (end: (recording: Recording) => Recording): string =>
    violationsOf(
      "linearizability",
      end(new Recording({ clients: 2 }).acquire(0, 0, "a"))
        .acquire(150, 1, "b")
        .release(300, 1, "b"),
    )[0]?.explanation ?? "";
  expect(told((it) => it.leave(100, 0, "a").failRelease(101, 0))).toContain(
    "client-0 had called release at 100 ms, and was told that it failed, which means that it had no effect. Probably: it took effect all the same, so that its outcome was not certain; or the lock granted it while another owner had a lease.",
  );
  expect(told((it) => it.leave(100, 0, "a"))).toBe("");
  expect(told((it) => it)).toMatch(/^((?!called release).)+$/);
});

it("names a release that was told as failed also where the other client had asked before it", () => {
  const begun = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a").seek(50, 1);
  const told = (recording: Recording): string => violationsOf("linearizability", recording)[0]?.explanation ?? "";
  expect(told(begun().leave(100, 0, "a").failRelease(101, 0).granted(150, 1, "b"))).toContain(
    "client-0 had called release at 100 ms, and was told that it failed, which means that it had no effect. Probably: it took effect all the same",
  );
  const late = begun().granted(150, 1, "b").leave(160, 0, "a").failRelease(161, 0);
  expect(told(late)).toMatch(/^((?!called release).)+$/);
  // It did not fail: it found that the other one had the lock.
  const found = begun().leave(100, 0, "a").granted(150, 1, "b").left(160, 0, false);
  expect(told(found)).toMatch(/^((?!called release).)+$/);
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
  expect(told({})).toContain("or the lock granted it while another owner had a lease.");
  expect(told({ limit: 1 })).toContain("or the lock granted more permits than it has.");
});

it("speaks of fencing tokens only where an order exists without them, and none with them", () => {
  // Only the later release shows that client-0 was granted the lock after client-1.
  const overlapping = new Recording({ clients: 2 })
    .seek(0, 0, { ttlMs: 720, waitMs: 3700 })
    .seek(20, 1, { ttlMs: 720, waitMs: 3700 })
    .granted(724, 1, "b")
    .granted(725, 0, "a")
    .release(735, 0, "a", true);
  const [violation] = violationsOf("linearizability", overlapping);
  expect(violation?.cause).toBe("double-grant");
  expect(violation?.explanation).not.toContain("fencing");
});

it("names a lease that was promised without an end before a release that may have taken the lock", () => {
  /** A lease of 300 ms is granted late, while a release of an earlier owner goes on that reports nothing. */
  const granted = (validForMs: number, ttlMs = 300): Recording =>
    new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs })
      .acquire(10, 1, "b", { ttlMs: 400 })
      .leave(600, 1, "b")
      .granted(700, 0, "a", { validForMs })
      .info(750, 1, "release")
      .acquire(800, 2, "c")
      .release(900, 0, "a");
  const [violation] = violationsOf("lease-exclusion", granted(2 ** 64));
  expect(violation).toMatchObject({ cause: "double-grant", proof: { standing: "proven" } });
  expect(violation?.explanation).toContain(
    "client-0 had asked for its lease at 0 ms, for 300 ms: counted from there it ended at 300 ms, before client-2 was granted it, but the lock promised it without an end.",
  );
  expect(violation?.explanation).toContain("subtracts more than there is from a number without a sign");
  expect(violation?.hypotheses?.map(({ cause }) => cause)).toEqual(["double-grant", "foreign-release", "double-grant"]);
  // A lease of usual length, and one without an end that was asked for.
  for (const sound of [granted(300), granted(2 ** 64, 1e9)]) {
    expect(violationsOf("lease-exclusion", sound)[0]?.cause).toBe("foreign-release");
    expect(violationsOf("lease-exclusion", sound)[0]?.explanation).not.toContain("without a sign");
  }
});

it("does not say that a lease was counted from too late where it was over by the answer, too", () => {
  const told = (renewals: (recording: Recording) => Recording): string => {
    const held = new Recording({ clients: 2 }).seek(0, 0, { waitMs: 500 }).granted(400, 0, "a", { validForMs: 1000 });
    const [violation] = violationsOf("lease-exclusion", renewals(held).acquire(1500, 1, "b").release(1600, 0, "a"));
    return violation?.explanation ?? "";
  };
  const renewed = told((recording) => recording.renewed(700, 0, "a", 1000));
  expect(renewed).toContain("it had not prolonged the lease as it reported: the lease of the grant had ended at 1,400");
  expect(renewed).not.toContain("later instant");
});

describe("a lease that was over, counted from its request", () => {
  const late = (facts: object, other = "b"): Violation | undefined =>
    violationsOf(
      "lease-exclusion",
      new Recording({ clients: 2, ...facts })
        .seek(0, 0, { ttlMs: 1000 })
        .granted(500, 0, "a", { validForMs: 900 })
        .acquire(1200, 1, other)
        .release(1300, 0, "a"),
    )[0];
  const why = "the lock counted the lease from too late an instant";

  it("is the cause for certain only where the history names every fault", () => {
    expect(late({ backend: "simulated" })).toMatchObject({ cause: "double-grant", proof: { standing: "proven" } });
    expect(late({ backend: "simulated" })?.explanation).toContain(`${why[0]?.toUpperCase()}${why.slice(1)}`);
    expect(late({})).toMatchObject({ cause: "double-grant", proof: { standing: "probable" } });
    expect(late({})?.explanation).toContain(`Probably: ${why}`);
  });

  it("is not the cause where the lock may have taken the second client for the first", () => {
    for (const facts of [{}, { backend: "simulated" }]) {
      expect(late(facts, "a")?.explanation).toContain("both clients use the owner value a");
      expect(late(facts, "a")?.explanation).not.toContain("too late an instant");
    }
  });
});

it("is first the lock's own where its leases do not end, and then a clock's", () => {
  for (const kind of ["clock-jump", "clock-rate"]) {
    const endless = new Recording({ clients: 3 }).acquire(0, 0, "a", { ttlMs: 1e9 }).fault(5, kind);
    const again = endless.acquire(150, 1, "b", { ttlMs: 1e9 }).release(2000, 1, "b").release(2100, 0, "a", false);
    const causes = (recording: Recording): unknown =>
      violationsOf("lease-exclusion", recording)[0]?.hypotheses?.map(({ cause }) => cause);
    expect(causes(again)).toEqual(["double-grant", kind]);
    expect(causes(twice((recording) => recording.fault(5, kind)))).toEqual([kind, "double-grant"]);
  }
});
