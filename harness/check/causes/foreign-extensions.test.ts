import { expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const recording = (clients = 2): Recording => new Recording({ clients, backend: "simulated", topology: "single" });

function causesOf(written: Recording): readonly (readonly string[])[] {
  return violationsOf("lease-exclusion", written).map(({ hypotheses = [] }) => hypotheses.map(({ cause }) => cause));
}

it("suspects an extension that was asked for when its lease was over, if the next grant is answered after it", () => {
  const written = recording().acquire(0, 0, "a").seek(1005, 1).extend(1010, 0, "a").granted(1020, 1, "b");
  expect(causesOf(written)).toEqual([["foreign-release", "double-grant"]]);
});

it("suspects the lock first if the extension was asked for in time", () => {
  const inTime = recording().acquire(0, 0, "a").seek(500, 1).extend(800, 0, "a").granted(900, 1, "b");
  expect(causesOf(inTime)).toEqual([["double-grant"]]);
  const delayed = recording()
    .acquire(0, 0, "a")
    .seek(500, 1)
    .seekExtension(990, 0, "a", 1000)
    .extended(1100, 0, "a")
    .granted(1110, 1, "b");
  expect(causesOf(delayed)).toEqual([["double-grant", "foreign-release"]]);
});

it("suspects a fault that loses leases before an extension that the server's lease may have outlasted", () => {
  const grantedLate = (extendAtMs: number): readonly (readonly string[])[] =>
    causesOf(
      recording()
        .seek(0, 0)
        .granted(300, 0, "a", { validForMs: 700, grantedAtMs: 0 })
        .seek(extendAtMs - 5, 1)
        .seekExtension(extendAtMs, 0, "a", 1000)
        .fault(extendAtMs + 10, "restart-node")
        .extended(extendAtMs + 20, 0, "a")
        .granted(extendAtMs + 30, 1, "b"),
    );
  // Asked for at 0 and granted at 300, a lease of a second lasts until 1300 at most.
  expect(grantedLate(1100)).toEqual([["lost-in-restart", "double-grant", "foreign-release"]]);
  expect(grantedLate(1310)).toEqual([["foreign-release", "lost-in-restart", "double-grant"]]);
});

it("suspects the extension of an earlier lease too", () => {
  const written = recording()
    .acquire(0, 0, "a")
    .seek(1005, 1)
    .extend(1010, 0, "a")
    .extend(1500, 0, "a")
    .granted(1520, 1, "b");
  expect(causesOf(written)).toEqual([["foreign-release", "double-grant"]]);
});

it("suspects no extension where a second master may have the lock", () => {
  const written = recording()
    .acquire(0, 0, "a")
    .fault(500, "promotion")
    .seek(1005, 1)
    .extend(1010, 0, "a")
    .granted(1020, 1, "b");
  expect(causesOf(written).flat()).not.toContain("foreign-release");
});

it("suspects no extension by a client that is alone", () => {
  const written = new Recording({ clients: 1, backend: "simulated", topology: "single" })
    .acquire(0, 0, "a")
    .extend(1010, 0, "a")
    .release(1020, 0, "a", false);
  const causes = violationsOf("linearizability", written).flatMap(({ hypotheses = [] }) =>
    hypotheses.map(({ cause }) => cause),
  );
  expect(causes).toEqual(["lost-early"]);
});

it("suspects an extension by another client where a holder is told too early that it holds nothing", () => {
  const overwritten = (extend: (written: Recording) => Recording): readonly string[] =>
    violationsOf(
      "linearizability",
      extend(recording().acquire(0, 0, "a").acquire(1020, 1, "b")).release(1500, 1, "b", false),
    ).flatMap(({ hypotheses = [] }) => hypotheses.map(({ cause }) => cause));
  expect(overwritten((it) => it)).toEqual(["lost-early"]);
  expect(overwritten((it) => it.seekExtension(1030, 0, "a", 1000).info(1400, 0, "extend"))).toEqual([
    "foreign-release",
    "lost-early",
  ]);
  expect(overwritten((it) => it.seekExtension(1030, 0, "a", 1000).failExtension(1031, 0))).toEqual(["lost-early"]);
});

it("suspects a fault that loses leases before an extension whose outcome nobody knows", () => {
  const written = recording()
    .acquire(0, 0, "a")
    .acquire(1020, 1, "b")
    .seekExtension(1030, 0, "a", 1000)
    .info(1100, 0, "extend")
    .fault(1200, "restart-node")
    .release(1500, 1, "b", false);
  const causes = violationsOf("linearizability", written).flatMap(({ hypotheses = [] }) =>
    hypotheses.map(({ cause }) => cause),
  );
  expect(causes.slice(0, 2)).toEqual(["lost-in-restart", "foreign-release"]);
});

it("suspects no own extension that was not answered, came after the overlap, or prolonged an earlier hold", () => {
  const unanswered = recording()
    .acquire(0, 0, "a")
    .seek(1001, 1)
    .seekExtension(1002, 0, "a", 1000)
    .info(1003, 0, "extend")
    .extend(1010, 2, "a")
    .granted(1020, 1, "b");
  expect(causesOf(unanswered)).toEqual([["foreign-release", "double-grant"]]);
  const after = recording().acquire(0, 0, "a").acquire(500, 1, "b").extend(1010, 0, "a");
  expect(causesOf(after)).toEqual([["double-grant"]]);
  const earlier = recording()
    .acquire(0, 0, "a")
    .extend(1010, 0, "a")
    .release(1020, 0, "a")
    .acquire(1030, 0, "a")
    .acquire(1040, 1, "b");
  expect(causesOf(earlier)).toEqual([["double-grant"]]);
});

it("suspects no extension that the lease may have outlasted, because the lock may have waited", () => {
  const written = recording()
    .seek(0, 0, { waitMs: 500 })
    .granted(400, 0, "a")
    .seek(1090, 1)
    .extend(1100, 0, "a")
    .granted(1120, 1, "b");
  expect(causesOf(written)).toEqual([["double-grant"]]);
});

/** Client 0 holds a lock as `c` until 1000; then 1 and 2 hold it at the same time. */
function betweenTwoHolds({
  before = (it) => it,
  within = (it) => it,
  after = (it) => it,
}: {
  readonly before?: (written: Recording) => Recording;
  readonly within?: (written: Recording) => Recording;
  readonly after?: (written: Recording) => Recording;
}): readonly string[] | undefined {
  const first = before(recording(3).acquire(0, 0, "c")).acquire(1010, 1, "a");
  return causesOfPair(after(within(first).acquire(1500, 2, "b")));
}

/** Of the violation by the holds of `a` and `b`. */
function causesOfPair(written: Recording): readonly string[] | undefined {
  const grants = written.history.events.filter(
    (event) => event.type === "ok" && event.f === "acquire" && event.value.owner !== "c",
  );
  const isPair = ({ events }: { readonly events: readonly number[] }): boolean =>
    grants.every(({ index }) => events.includes(index));
  return violationsOf("lease-exclusion", written)
    .find(isPair)
    ?.hypotheses?.map(({ cause }) => cause);
}

it("suspects an extension by another in the hold that was lost, the latest first", () => {
  expect(betweenTwoHolds({})).toEqual(["double-grant"]);
  expect(betweenTwoHolds({ within: (it) => it.extend(1200, 0, "c") })).toEqual(["foreign-release", "double-grant"]);
  const twice = new Recording({ clients: 4, backend: "simulated", topology: "single" })
    .acquire(0, 0, "c", { ttlMs: 100 })
    .acquire(200, 3, "d", { ttlMs: 100 })
    .acquire(1010, 1, "a")
    .seekExtension(1100, 0, "c", 1000)
    .info(1150, 0, "extend")
    .seekExtension(1200, 3, "d", 1000)
    .info(1250, 3, "extend")
    .acquire(1500, 2, "b");
  const events = violationsOf("lease-exclusion", twice).map(({ hypotheses = [] }) =>
    hypotheses.map((each) => each.events),
  );
  expect(events[0]?.slice(0, 2)).toEqual([
    [8, 9],
    [6, 7],
  ]);
});

it("suspects an extension of unknown outcome that was asked for in time: it may take effect at any time", () => {
  const before = (written: Recording): Recording => written.seekExtension(980, 0, "c", 1000).info(990, 0, "extend");
  expect(betweenTwoHolds({ before })).toEqual(["foreign-release", "double-grant"]);
});

it("suspects no extension by another that was answered before the hold, or asked for after it was lost", () => {
  expect(betweenTwoHolds({ before: (it) => it.extend(1003, 0, "c", { ttlMs: 5 }) })).toEqual(["double-grant"]);
  expect(betweenTwoHolds({ after: (it) => it.extend(1600, 0, "c") })).toEqual(["double-grant"]);
});

it("suspects no extension by one that was granted the lock in the hold: that was lost before", () => {
  const written = recording(3)
    .acquire(0, 0, "a", { ttlMs: 10_000 })
    .acquire(500, 1, "c", { ttlMs: 100 })
    .extend(700, 1, "c", { ttlMs: 50 })
    .acquire(800, 2, "b");
  expect(causesOfPair(written)).toEqual(["double-grant"]);
});

it("suspects no extension of an earlier hold with the same owner value to have ended the later one", () => {
  const written = recording()
    .acquire(0, 0, "a")
    .seekExtension(1002, 0, "a", 1000)
    .info(1003, 0, "extend")
    .acquire(1010, 2, "a")
    .acquire(1020, 1, "b");
  expect(causesOf(written)).toEqual([["double-grant"]]);
});

it("suspects no extension beside readers, nor where a second master may have the lock", () => {
  const readers = recording(3)
    .acquire(0, 0, "c", { mode: "shared" })
    .acquire(1010, 1, "a", { mode: "shared" })
    .extend(1200, 0, "c")
    .acquire(1500, 2, "b", { mode: "exclusive" });
  expect(causesOfPair(readers)).toEqual(["double-grant"]);
  const within = (written: Recording): Recording => written.fault(1100, "promotion").extend(1200, 0, "c");
  expect(betweenTwoHolds({ within })).not.toContain("foreign-release");
  const before = (written: Recording): Recording => written.fault(500, "promotion");
  expect(betweenTwoHolds({ before, within: (it) => it.extend(1200, 0, "c") })).toContain("foreign-release");
});

it("suspects a fault that loses leases before the extension of a permit, which others may have been granted beside", () => {
  const suspects = (fault: (written: Recording) => Recording): readonly (readonly string[])[] =>
    causesOf(
      fault(recording(3).acquire(0, 0, "a", { limit: 2 }))
        .seek(20, 1, { limit: 2 })
        .granted(200, 1, "b", { validForMs: 50, grantedAtMs: 20 })
        .acquire(280, 2, "c", { limit: 2 })
        .extend(300, 1, "b"),
    );
  // That permit was granted after the restart, and the server's lease of it lasts until 1200 at most.
  expect(suspects((it) => it.fault(10, "restart-node")).map(([first]) => first)).toEqual(["lost-in-restart"]);
  expect(suspects((it) => it).map(([first]) => first)).toEqual(["foreign-release"]);
});

it("does not say that a lease was no longer its client's where the lock had granted it only just before", () => {
  const told = (extendedAt: number): string | undefined => {
    const recording = new Recording({ clients: 3 })
      .seek(0, 2, { ttlMs: 300, waitMs: 5000 })
      .acquire(100, 1, "a", { ttlMs: 10_000 })
      .granted(1000, 2, "b")
      .extend(extendedAt, 2, "b", { ttlMs: 1000 })
      .release(extendedAt + 50, 2, "b")
      .release(extendedAt + 60, 1, "a");
    return violationsOf("lease-exclusion", recording)[0]?.explanation;
  };
  expect(told(1010)).toContain("the lock itself granted it twice");
  expect(told(1310)).toContain("client-2 extended a lease that was no longer its own");
  expect(told(1310)).toContain(
    "in the same step as the extension, or it reports success although it extended nothing.",
  );
});

it("does not say that an extension was of a lost lease where it may have been carried out before the lease was over", () => {
  const told = (askedAt: number, grantedAt: number): readonly string[] => {
    const { acquire, extension, grant } = {
      acquire: recording().acquire(0, 0, "a").seek(20, 1),
      extension: (it: Recording) => it.seekExtension(askedAt, 0, "a", 1000),
      grant: (it: Recording) => it.granted(grantedAt, 1, "b", { validForMs: 1000, grantedAtMs: grantedAt }),
    };
    const both = askedAt < grantedAt ? grant(extension(acquire)) : extension(grant(acquire));
    const written = both.extended(1300, 0, "a", { validForMs: 1000 }).release(1400, 0, "a");
    const [violation] = violationsOf("lease-exclusion", written);
    return (violation?.hypotheses ?? []).map(({ cause, why }) => `${cause}: ${why}`);
  };
  const rule = "the lock did not compare the owner value, or did not compare it in the same step as the extension";
  expect(told(100, 1150)).toEqual([
    `foreign-release: client-0 extended a lease that may have been no longer its own (events 3 and 5): ${rule}`,
    "double-grant: the lock counted the lease from too late an instant: a server may begin it as soon as it is asked",
    expect.stringMatching(/^double-grant: /),
  ]);
  const lost = `foreign-release: client-0 extended a lease that was no longer its own (event 5): ${rule}`;
  expect(told(1200, 1150)[0]).toBe(lost);
  // Counted from its request too, the lease was in force when the other client was granted the lock.
  expect(told(200, 1150)).toEqual([
    expect.stringContaining("extended a lease that may have been no longer its own"),
    expect.stringContaining("the lock itself granted it twice"),
  ]);
});
