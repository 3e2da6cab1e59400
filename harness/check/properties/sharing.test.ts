/** Locks that several clients may hold at a time: semaphores and read-write locks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excludeEachOther, exceeds, type Sharing, shareOf } from "../../core/sharing.ts";
import type { Property, Verdict } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const two: Sharing = { limit: 2 };
const reading: Sharing = { mode: "shared" };
const writing: Sharing = { mode: "exclusive" };

function judge(recording: Recording): Verdict {
  return checkHistory(recording.history);
}

function violationsOf({ properties }: Verdict, property: Property) {
  return properties[property]?.violations ?? [];
}

function outcomes({ properties }: Verdict): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(properties).map(([property, { verdict }]) => [property, verdict]));
}

describe("a semaphore", () => {
  it("may be held by as many as it has permits", () => {
    const recording = new Recording({ clients: 3 })
      .acquire(0, 0, "a", two)
      .acquire(10, 1, "b", two)
      .seek(20, 2, two)
      .refused(21, 2)
      .release(30, 0, "a")
      .acquire(40, 2, "c", two)
      .release(50, 1, "b")
      .release(60, 2, "c");
    const verdict = judge(recording);
    expect(outcomes(verdict)).toMatchObject({ "mutual-exclusion": "valid", "lease-exclusion": "valid" });
    expect(verdict.verdict).toBe("valid");
    expect(verdict.properties["linearizability"]).toMatchObject({ verdict: "valid" });
  });

  it("counts the permits of an owner that states its limit only when it enters again", () => {
    const one: Sharing = { limit: 1 };
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .seek(10, 0, { ...one, inner: true })
      .granted(11, 0, "a")
      .acquire(20, 1, "b", one)
      .release(30, 0, "a")
      .release(40, 1, "b");
    const verdict = outcomes(judge(recording));
    expect(verdict).toMatchObject({ "mutual-exclusion": "invalid", "lease-exclusion": "invalid" });
  });

  it.each([
    ["more", 1, 2, 10],
    ["fewer", 2, 1, 10],
    ["more, when its lease may just be over", 1, 2, 1001],
    ["fewer, when its lease may just be over", 2, 1, 1001],
  ])("counts the fewest permits of an owner that enters again and takes %s", (_, first, second, at) => {
    const again = (permits: readonly [number, number], atMs: number): unknown => {
      const recording = new Recording({ clients: 2 })
        .seek(0, 0, { limit: 2, permits: permits[0] })
        .granted(2, 0, "a")
        .acquire(atMs, 0, "a", { limit: 2, permits: permits[1] })
        .acquire(atMs + 10, 1, "b", { limit: 2, permits: 1 })
        .release(atMs + 20, 0, "a")
        .release(atMs + 30, 1, "b");
      return outcomes(judge(recording));
    };
    expect(again([first, second], at)).toMatchObject({ "mutual-exclusion": "valid", "lease-exclusion": "valid" });
    expect(again([2, 2], at)).toMatchObject({ "mutual-exclusion": "invalid", "lease-exclusion": "invalid" });
    // Here its older hold is certainly over.
    expect(again([1, 2], 1010)).toMatchObject({ "mutual-exclusion": "invalid", "lease-exclusion": "invalid" });
  });

  it("has one holder too many", () => {
    const recording = new Recording({ clients: 3, backend: "simulated" })
      .acquire(0, 0, "a", two)
      .acquire(10, 1, "b", two)
      .acquire(20, 2, "c", two)
      .release(30, 0, "a")
      .release(40, 1, "b")
      .release(50, 2, "c");
    const verdict = judge(recording);
    for (const property of ["mutual-exclusion", "lease-exclusion"] as const) {
      const [violation, ...more] = violationsOf(verdict, property);
      expect(more).toEqual([]);
      expect(violation).toMatchObject({ cause: "double-grant", events: [1, 3, 5] });
      expect(violation?.overlap).toEqual({ from: 21_000_000, to: 30_000_000 });
    }
    const [violation] = violationsOf(verdict, "mutual-exclusion");
    expect(violation?.explanation).toContain("Three clients, where two are allowed, held k at the same time for 9 ms.");
    expect(violation?.explanation).toContain("granted more permits than it has");
  });

  it("counts permits, not holders", () => {
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { limit: 3, permits: 2 })
      .acquire(10, 1, "b", { limit: 3, permits: 2 })
      .release(30, 0, "a")
      .release(40, 1, "b");
    const [violation] = violationsOf(judge(recording), "lease-exclusion");
    expect(violation?.explanation).toContain("The lock promised 4 permits of k, which has 3, to two owners");
  });

  it("is not accused because of a holder that shows no sign of it, nor because of one that outlived its lease", () => {
    const silent = new Recording({ clients: 3 })
      .acquire(0, 0, "a", two)
      .acquire(10, 1, "b", two)
      .acquire(2000, 2, "c", two)
      .release(2010, 1, "b")
      .release(2020, 2, "c");
    expect(violationsOf(judge(silent), "mutual-exclusion")).toEqual([]);
    const late = new Recording({ clients: 3 })
      .acquire(0, 0, "a", two)
      .acquire(10, 1, "b", { ...two, ttlMs: 5000 })
      .acquire(2000, 2, "c", two)
      .release(2010, 1, "b")
      .release(2020, 0, "a", false)
      .release(2030, 2, "c");
    const verdict = judge(late);
    expect(violationsOf(verdict, "lease-exclusion")).toEqual([]);
    const [overrun] = violationsOf(verdict, "mutual-exclusion");
    expect(overrun).toMatchObject({ cause: "overrun" });
    expect(overrun?.explanation).toContain("client-0 had outlived its lease");
  });

  it("blames the one that outlived its lease, though another had asked for a shorter one, in vain", () => {
    const verdict = judge(
      new Recording({ clients: 3 })
        .acquire(0, 2, "c", two)
        .acquire(2, 1, "b", { ...two, ttlMs: 20 })
        .seek(10, 2, { ...two, ttlMs: 20 })
        .seekExtension(30, 1, "b", 100)
        .acquire(40, 0, "a", two)
        .refused(60, 2)
        .failExtension(70, 1)
        .release(80, 2, "c")
        .release(90, 0, "a"),
    );
    expect(violationsOf(verdict, "lease-exclusion")).toEqual([]);
    const [overrun, ...more] = violationsOf(verdict, "mutual-exclusion");
    expect(more).toEqual([]);
    expect(overrun).toMatchObject({ cause: "overrun", holders: [{ owner: "b" }, { owner: "a" }] });
  });

  it("blames the one that outlived its lease, though another did so that shows no sign of its hold", () => {
    const verdict = judge(
      new Recording({ clients: 4 })
        .acquire(0, 1, "b", { ...two, ttlMs: 20 })
        .acquire(2, 0, "a", two)
        .acquire(30, 2, "c", { ...two, ttlMs: 20 })
        .acquire(60, 3, "d", two)
        .release(80, 2, "c", false)
        .release(90, 0, "a")
        .release(100, 3, "d"),
    );
    const [overrun, ...more] = violationsOf(verdict, "mutual-exclusion");
    expect(more).toEqual([]);
    expect(overrun).toMatchObject({ holders: [{ owner: "c" }, { owner: "d" }] });
    expect(overrun?.explanation).toContain("client-2 had outlived its lease");
  });

  it("promises nothing to the updates of those that hold at the same time", () => {
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { ...two, fence: 1 })
      .acquire(10, 1, "b", { ...two, fence: 2 })
      .write(20, 1, "b", "y", { fence: 2, basedOn: 0 })
      .wrote(21, 1, 1)
      .write(22, 0, "a", "x", { fence: 1, basedOn: 0 })
      .wrote(23, 0, 2)
      .release(30, 0, "a")
      .release(40, 1, "b")
      .audit(50, 1, "y", { owner: "b", fence: 2, basedOn: 0 })
      .audit(50, 2, "x", { owner: "a", fence: 1, basedOn: 0 });
    expect(outcomes(judge(recording))).toMatchObject({
      "fencing-tokens": "not-applicable",
      "stale-writes": "not-applicable",
      "lost-updates": "valid",
      "owner-release": "valid",
    });
  });

  it("is not accused of the release of a permit that may have been held before the history began", () => {
    const recording = (facts = {}): Recording =>
      new Recording({ clients: 2, ...facts }).acquire(0, 0, "a", two).release(10, 1, "b").release(20, 0, "a");
    expect(outcomes(judge(recording()))).toMatchObject({ "owner-release": "valid" });
    expect(outcomes(judge(recording({ backend: "simulated" })))).toMatchObject({ "owner-release": "invalid" });
    const entered = (facts = {}): Recording =>
      new Recording({ clients: 2, ...facts })
        .acquire(0, 0, "a", two)
        .acquire(5, 1, "b", two)
        .release(10, 1, "b")
        .release(15, 1, "b")
        .release(20, 0, "a");
    expect(outcomes(judge(entered()))).toMatchObject({ "owner-release": "valid" });
    expect(outcomes(judge(entered({ backend: "simulated" })))).toMatchObject({ "owner-release": "invalid" });
  });

  it("is not accused of the release of a permit that an acquire of unknown outcome may have taken", () => {
    const released = (permit: (recording: Recording) => Recording): string | undefined =>
      outcomes(
        judge(
          permit(
            new Recording({ clients: 2, backend: "simulated" })
              .acquire(0, 0, "a", two)
              .acquire(5, 1, "b", two)
              .release(10, 1, "b"),
          )
            .release(30, 3, "b")
            .release(40, 0, "a"),
        ),
      )["owner-release"];
    expect(released((recording) => recording.seek(15, 1, two))).toBe("valid");
    expect(released((recording) => recording.seek(15, 1, two).info(20, 1, "acquire"))).toBe("valid");
    expect(released((recording) => recording.seek(15, 1, two).refused(20, 1))).toBe("invalid");
    expect(released((recording) => recording)).toBe("invalid");
  });

  it("is not accused of the release of a permit that outlasts its lease", () => {
    const recording = new Recording({ clients: 3, backend: "simulated" })
      .acquire(0, 0, "a", { ...two, ttlMs: 5000 })
      .acquire(10, 1, "b", { ...two, ttlMs: 5000 })
      .acquire(20, 2, "c", { ...two, ttlMs: 300 })
      .release(400, 2, "c")
      .acquire(410, 2, "d", { ...two, ttlMs: 5000 })
      .release(500, 0, "a")
      .release(510, 1, "b")
      .release(520, 2, "d");
    const causes = violationsOf(judge(recording), "lease-exclusion").map(({ cause }) => cause);
    expect(causes).toEqual(["double-grant", "double-grant"]);
  });

  it("is stuck if nobody holds a permit and none is granted", () => {
    const recording = (facts = {}): Recording =>
      new Recording({ clients: 2, ...facts })
        .acquire(0, 0, "a", two)
        .release(10, 0, "a")
        .seek(20, 1, { ...two, waitMs: 4000 })
        .refused(4020, 1);
    expect(violationsOf(judge(recording({ backend: "simulated" })), "deadlock-freedom")).toHaveLength(1);
    // Others may have held permits since before the history began.
    expect(outcomes(judge(recording()))).toMatchObject({ "deadlock-freedom": "unknown" });
  });
});

describe("a read-write lock", () => {
  it("may have several readers", () => {
    const recording = new Recording({ clients: 3 })
      .acquire(0, 0, "a", reading)
      .acquire(10, 1, "b", reading)
      .seek(20, 2, writing)
      .refused(21, 2)
      .release(30, 0, "a")
      .release(40, 1, "b")
      .acquire(50, 2, "c", writing)
      .release(60, 2, "c");
    expect(judge(recording).verdict).toBe("valid");
  });

  it("has a writer beside a reader", () => {
    const recording = new Recording({ clients: 3, backend: "simulated" })
      .acquire(0, 0, "a", reading)
      .acquire(10, 1, "b", reading)
      .release(20, 0, "a")
      .acquire(30, 2, "c", writing)
      .release(40, 1, "b")
      .release(50, 2, "c");
    const verdict = judge(recording);
    const [violation, ...more] = violationsOf(verdict, "mutual-exclusion");
    expect(more).toEqual([]);
    expect(violation).toMatchObject({ cause: "double-grant", holders: [{ owner: "b" }, { owner: "c" }] });
    expect(violation?.explanation).toContain("A writer and a reader held k at the same time for 9 ms.");
    expect(violation?.explanation).toMatch(
      /client-1 \(a reader, process 1, owner b\) .* client-2 \(process 2, owner c\) /,
    );
    expect(violationsOf(verdict, "lease-exclusion")[0]?.explanation).toContain(
      "The lock promised k to a writer and to a reader at the same time",
    );
  });

  it("does not blame a reader that gave up what was its own, but one whose release came too late", () => {
    const scene = (lateReaderTtlMs: number): Recording =>
      new Recording({ clients: 3, backend: "simulated" })
        .acquire(0, 0, "a", { ...reading, ttlMs: 5000 })
        .acquire(10, 1, "b", { ...reading, ttlMs: lateReaderTtlMs })
        .release(1000, 1, "b")
        .acquire(1010, 2, "c", writing)
        .release(1020, 0, "a")
        .release(1030, 2, "c");
    const causeOf = (ttlMs: number): unknown => violationsOf(judge(scene(ttlMs)), "lease-exclusion")[0]?.cause;
    expect(causeOf(5000)).toBe("double-grant");
    expect(causeOf(100)).toBe("foreign-release");
  });

  it("lets a reader become a writer", () => {
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a", reading)
      .acquire(10, 0, "a2", writing)
      .fail(15, 1)
      .release(20, 0, "a2")
      .release(30, 0, "a");
    expect(judge(recording).verdict).not.toBe("invalid");
  });

  it("is not accused where the hold of its writer may be one of an acquire of unknown outcome, as a reader", () => {
    const scene = (mode: "shared" | "exclusive", unknownFirst: boolean): string | undefined => {
      const recording = new Recording({ clients: 2 });
      if (!unknownFirst) recording.acquire(0, 0, "a", { ...writing, ttlMs: 20 });
      recording.seek(5, 0, { mode }).info(6, 0, "acquire");
      if (unknownFirst) recording.acquire(10, 2, "a", { ...writing, ttlMs: 20 });
      recording.extend(100, 2, "a").acquire(110, 1, "b", reading).release(120, 2, "a").release(130, 1, "b");
      return outcomes(judge(recording))["lease-exclusion"];
    };
    for (const unknownFirst of [true, false]) {
      expect(scene("shared", unknownFirst)).toBe("valid");
      expect(scene("exclusive", unknownFirst)).toBe("invalid");
    }
  });

  it("counts an owner that enters again in the other mode as a reader", () => {
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a", writing)
      .acquire(10, 0, "a", reading)
      .release(20, 0, "a")
      .acquire(30, 1, "b", reading)
      .release(40, 0, "a")
      .release(50, 1, "b");
    expect(judge(recording).verdict).not.toBe("invalid");
  });
});

it("only a try for which there was no room counts as contention", () => {
  const doubts = (recording: Recording): readonly string[] => judge(recording).reasons;
  const beside = new Recording({ clients: 2 })
    .acquire(0, 0, "a", reading)
    .acquire(10, 1, "b", reading)
    .release(20, 0, "a")
    .release(30, 1, "b");
  expect(doubts(beside)).toContain("no lock was ever contended");
  const against = new Recording({ clients: 2 })
    .acquire(0, 0, "a", reading)
    .seek(10, 1, writing)
    .release(20, 0, "a")
    .granted(30, 1, "b")
    .release(40, 1, "b");
  expect(doubts(against)).toEqual([]);
});

it("finds what the definition of exclusion says, at each instant", { tags: "long" }, () => {
  const HOURS = 3_600_000;
  const sharing = fc.oneof(
    fc.integer({ min: 1, max: 3 }).map((permits): Sharing => ({ limit: 3, permits })),
    fc.constantFrom<Sharing>(reading, reading, writing),
  );
  const spans = fc.array(fc.record({ from: fc.nat({ max: 90 }), lasts: fc.integer({ min: 1, max: 40 }), sharing }), {
    minLength: 1,
    maxLength: 6,
  });
  const seen = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(spans, fc.boolean(), (drawn, counted) => {
      const holds = drawn
        .filter(({ sharing }) => (sharing.limit !== undefined) === counted)
        .map((hold, index) => ({ ...hold, index, to: hold.from + hold.lasts + 2 }));
      fc.pre(holds.length > 0);
      const moments = holds.flatMap(({ from, to, index, sharing }) => [
        { at: from + index / 100, add: (r: Recording, at: number) => r.seek(at, index, { ...sharing, ttlMs: HOURS }) },
        { at: from + 1 + index / 100, add: (r: Recording, at: number) => r.granted(at, index, `o${index}`) },
        { at: to + index / 100, add: (r: Recording, at: number) => r.leave(at, index, `o${index}`) },
        { at: to + 1 + index / 100, add: (r: Recording, at: number) => r.left(at, index) },
      ]);
      const recording = new Recording({ clients: holds.length });
      for (const { at, add } of moments.toSorted((one, other) => one.at - other.at)) add(recording, at);
      const broken = holds.some(({ from, index }) => {
        const at = from + 1 + index / 100;
        const held = holds.filter(
          (other) => other.from + 1 + other.index / 100 <= at && at < other.to + other.index / 100,
        );
        const shares = held.map(({ sharing }) => shareOf(sharing));
        const excluded = shares.some((one, i) => shares.slice(i + 1).some((other) => excludeEachOther(one, other)));
        return excluded || exceeds(shares);
      });
      const { properties } = judge(recording);
      const expected = broken ? "invalid" : "valid";
      seen[expected] += 1;
      expect(properties["mutual-exclusion"]?.verdict).toBe(expected);
      expect(properties["lease-exclusion"]?.verdict).toBe(expected);
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(100);
});
