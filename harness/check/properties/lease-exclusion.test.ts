import { describe, expect, it } from "vitest";
import { inFigures } from "../../core/words/in-figures.ts";
import { checkHistory } from "../check.ts";
import { ADVERSARIAL_HEADER, adversarialEvents } from "../testing/adversarial-histories.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";
import { leaseExclusion } from "./lease-exclusion.ts";

it("counts all overlaps of thousands of open grants, and lists a hundred of them", () => {
  const grants = 1500;
  const events = [...adversarialEvents("open overlapping grants", 2 * grants)];
  const { properties, remarks } = checkHistory({ header: ADVERSARIAL_HEADER, events }, { checkers: [leaseExclusion] });
  expect(properties["lease-exclusion"]?.violations).toHaveLength(100);
  // Each grant is compared with the eight latest before it.
  const overlaps = 8 * grants - (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8);
  expect(remarks).toContain(`${inFigures(overlaps - 100)} more violations of lease-exclusion are not listed`);
});

it("says of a hold that is given up as soon as it is granted that the overlap is an instant", () => {
  const recording = new Recording().acquire(0, 0, "a", { ttlMs: 1000 }).acquire(10, 1, "b").release(11, 1, "b");
  const history = recording.release(100, 0, "a").history;
  const { properties } = checkHistory(history);
  expect(properties["lease-exclusion"]?.violations[0]?.explanation).toContain(
    "The lock promised k to two owners at the same time, for an instant from 11 ms on.",
  );
  expect(properties["mutual-exclusion"]?.violations[0]?.explanation).toContain(
    "Two clients held k at the same time for an instant.",
  );
});

it("says that a lease was prolonged, and when if that began the overlap", () => {
  const told = (recording: Recording): string =>
    checkHistory(recording.history).properties["lease-exclusion"]?.violations[0]?.explanation ?? "";
  const late = new Recording()
    .acquire(0, 0, "a", { ttlMs: 100 })
    .acquire(120, 1, "b")
    .extend(150, 0, "a", { ttlMs: 100 });
  expect(told(late.release(180, 0, "a"))).toContain(
    "was granted it at 1 ms, with a lease until 100 ms, which was prolonged at 151 ms until 250 ms; client-1",
  );
  const early = new Recording()
    .acquire(0, 0, "a", { ttlMs: 100 })
    .extend(50, 0, "a", { ttlMs: 100 })
    .acquire(120, 1, "b");
  expect(told(early.release(180, 0, "a"))).toContain(
    "was granted it at 1 ms, with a lease until 100 ms, which was prolonged until 150 ms; client-1",
  );
});

it("says what was over when it came: a grant or an extension, and for how long", () => {
  const told = (recording: Recording): string =>
    checkHistory(recording.history).properties["lease-exclusion"]?.violations[0]?.explanation ?? "";
  expect(told(new Recording().acquire(0, 0, "a", { validForMs: 0 }))).toContain(
    "asked for k at 0 ms and was granted it at 1 ms, when the lease, by the validity that the lock reported, had just ended.",
  );
  expect(told(new Recording().acquire(0, 0, "a", { validForMs: 0 }))).toContain(
    "count it from the request that took the key, not from an earlier try, and refuse what is over",
  );
  const begun = new Recording().acquire(0, 0, "a", { validForMs: 500 });
  expect(told(begun.extend(100, 0, "a", { validForMs: -3 }))).toContain(
    "asked to extend k at 100 ms and was told that it was extended at 101 ms, when the lease, by the validity that the lock reported, had been over for 3 ms.",
  );
  expect(told(begun.extend(100, 0, "a", { validForMs: -3 }))).toContain(
    "count it from the request that prolonged it, and refuse what is over",
  );
});

it("counts a cut lease from its beginning, which a lock that waits reports, and not from the request", () => {
  // The first acquire of client-0 is never answered: it may cut the lease of its second to 500 ms.
  const waited = (): Recording =>
    new Recording({ clients: 2 })
      .seek(0, 0, { ttlMs: 500 })
      .info(1, 0, "acquire")
      .seek(2, 2, { ttlMs: 800, waitMs: 1600 })
      .granted(852, 2, "a", { validForMs: 800 });
  const judge = (recording: Recording): string | undefined =>
    checkHistory(recording.history).properties["lease-exclusion"]?.verdict;
  expect(judge(waited().acquire(1300, 1, "b").release(1400, 2, "a"))).toBe("invalid");
  expect(judge(waited().acquire(1352, 1, "b").release(1400, 2, "a"))).toBe("valid");
});

describe("while a request for a shorter lease is under way", () => {
  /** Of a lease until 3000 ms, asks for one until 40 ms; another is granted the lock at 101 ms, for 50 ms. */
  const asked = (): Recording =>
    new Recording({ clients: 3 })
      .acquire(0, 0, "a", { ttlMs: 3000 })
      .seekExtension(10, 0, "a", 30)
      .acquire(100, 1, "b")
      .release(151, 1, "b");
  const verdict = (recording: Recording): string => judge("lease-exclusion", recording);

  it("the lock has granted the key twice if that request fails", () => {
    expect(verdict(asked().failExtension(250, 0))).toBe("invalid; double-grant 1,4");
    const [violation] = violationsOf("lease-exclusion", asked().failExtension(250, 0));
    expect(violation?.overlap).toEqual({ from: 101_000_000, to: 151_000_000 });
    expect(violation?.explanation).toContain(
      "client-0 (process 0, owner a) was granted it at 1 ms, with a lease until 3,000 ms;",
    );
  });

  it("the lock may have kept its promise if the request is granted, or its outcome is not known", () => {
    for (const open of [asked(), asked().extended(250, 0, "a"), asked().info(250, 0, "extend")]) {
      expect(verdict(open)).toBe("valid");
    }
  });

  it("the lock may have kept its promise if a fault may have kept the reply to a request that failed", () => {
    const failed = asked().fault(240, "reset").failExtension(250, 0);
    expect(verdict(failed)).toBe("valid");
    expect(judge("linearizability", failed)).toBe("valid");
    const early = asked().fault(5, "stall").fault(6, "stall", { phase: "heal" }).failExtension(250, 0);
    expect(judge("linearizability", early)).toMatch(/^invalid/);
  });

  it("another request may have cut the lease, whatever becomes of the first", () => {
    const both = (): Recording =>
      new Recording()
        .acquire(0, 0, "a", { ttlMs: 3000 })
        .seekExtension(10, 0, "a", 30)
        .seekExtension(11, 2, "a", 40)
        .acquire(100, 1, "b")
        .release(151, 1, "b");
    expect(verdict(both().failExtension(200, 0).failExtension(210, 2))).toBe("invalid; double-grant 1,5");
    expect(verdict(both().failExtension(200, 2).failExtension(210, 0))).toBe("invalid; double-grant 1,5");
    expect(verdict(both().failExtension(200, 0).info(210, 2, "extend"))).toBe("valid");
    expect(verdict(both().info(200, 0, "extend").failExtension(210, 2))).toBe("valid");
  });

  it("a request that may end the lease only later decides nothing, and is not said to have ended it", () => {
    const later = new Recording()
      .acquire(0, 0, "a", { ttlMs: 3000 })
      .seekExtension(10, 0, "a", 30)
      .seekExtension(11, 2, "a", 500)
      .acquire(100, 1, "b")
      .release(151, 1, "b")
      .failExtension(200, 0);
    const [violation] = violationsOf("lease-exclusion", later);
    expect(violation?.explanation).toContain(
      "client-0 (process 0, owner a) was granted it at 1 ms, with a lease until 511 ms;",
    );
  });

  it("a try to enter again that is refused has cut nothing", () => {
    const again = (answer: (recording: Recording) => Recording): Recording =>
      answer(
        new Recording({ clients: 3 })
          .acquire(0, 0, "a", { ttlMs: 3000 })
          .seek(10, 0, { ttlMs: 30, inner: true })
          .acquire(100, 1, "b")
          .release(151, 1, "b"),
      );
    expect(verdict(again((it) => it.refused(250, 0)))).toBe("invalid; double-grant 1,4");
    expect(verdict(again((it) => it.info(250, 0, "acquire")))).toBe("valid");
  });

  it("the lease of the other may be the one in doubt, when the first is extended", () => {
    const extended = (answer: (recording: Recording) => Recording): Recording =>
      answer(
        new Recording()
          .acquire(0, 0, "a", { ttlMs: 50 })
          .acquire(60, 1, "b", { ttlMs: 3000 })
          .seekExtension(62, 1, "b", 20)
          .extend(100, 0, "a"),
      );
    expect(verdict(extended((it) => it.failExtension(200, 1)))).toMatch(/^invalid; /);
    expect(verdict(extended((it) => it.info(200, 1, "extend")))).toBe("valid");
  });

  it("the lease that is extended may itself be in doubt, by another request for it", () => {
    const both = (): Recording =>
      new Recording()
        .acquire(0, 0, "a", { ttlMs: 30 })
        .acquire(60, 1, "b", { ttlMs: 3000 })
        .seekExtension(62, 2, "a", 20)
        .extend(100, 0, "a");
    expect(verdict(both().failExtension(200, 2))).toMatch(/^invalid; /);
    expect(verdict(both().info(200, 2, "extend"))).toBe("valid");
  });

  it("a semaphore has granted too much only if all those leases were in force", () => {
    const permits = (first: "fail" | "info"): Recording => {
      const recording = new Recording();
      for (const one of [0, 1]) {
        recording.acquire(10 * one, one, `o${one}`, { ttlMs: 3000, limit: 2, permits: 1 });
        recording.seekExtension(10 * one + 5, one, `o${one}`, 20);
      }
      recording.acquire(100, 2, "third", { limit: 2, permits: 1 }).release(150, 2, "third");
      if (first === "fail") recording.failExtension(200, 0);
      else recording.info(200, 0, "extend");
      return recording.failExtension(210, 1);
    };
    expect(verdict(permits("fail"))).toBe("invalid; double-grant 1,4,7");
    expect(verdict(permits("info"))).toBe("valid");
  });

  it("mutual exclusion knows by then too that the lock counted the lease from too late an instant", () => {
    const late = new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs: 3000 })
      .granted(100, 0, "a", { validForMs: 3000 })
      .seekExtension(3010, 0, "a", 20)
      .acquire(3050, 1, "b")
      .lost(3060, 0, "a")
      .failExtension(3070, 0);
    const [promise] = violationsOf("lease-exclusion", late);
    expect(promise?.explanation).toContain("counted from there it ended at 3,000 ms");
    expect(violationsOf("mutual-exclusion", late)[0]?.hypotheses).toEqual(promise?.hypotheses);
  });

  it("mutual exclusion names the same cause, also if the holder was told before that it lost the lock", () => {
    const lost = new Recording({ clients: 3 })
      .acquire(0, 0, "a", { ttlMs: 3000 })
      .seekExtension(10, 0, "a", 30)
      .acquire(100, 1, "b")
      .lost(120, 0, "a")
      .release(151, 1, "b")
      .failExtension(250, 0);
    expect(verdict(lost)).toBe("invalid; double-grant 1,4");
    expect(judge("mutual-exclusion", lost)).toBe("invalid; double-grant 1,4");
    const [exclusion] = violationsOf("mutual-exclusion", lost);
    expect(exclusion?.hypotheses).toEqual(violationsOf("lease-exclusion", lost)[0]?.hypotheses);
  });
});

it("is explained as lost updates and linearizability explain the same two grants", () => {
  // The release that took the lock is answered after the write that overwrites another.
  const recording = new Recording({ clients: 3 })
    .acquire(0, 2, "c", { ttlMs: 10, fence: 1 })
    .leave(20, 2, "c")
    .acquire(30, 0, "a", { fence: 2 })
    .acquire(50, 1, "b", { fence: 2 })
    .write(60, 0, "a", "one", { basedOn: 0 })
    .audit(61, 1, "one", { owner: "a", basedOn: 0 })
    .wrote(62, 0, 1)
    .write(70, 1, "b", "two", { basedOn: 0 })
    .audit(71, 2, "two", { owner: "b", basedOn: 0 })
    .wrote(72, 1, 2)
    .left(80, 2)
    .release(90, 1, "b")
    .release(100, 0, "a");
  const [promise] = violationsOf("lease-exclusion", recording);
  expect(promise?.hypotheses?.map(({ cause }) => cause)).toEqual(["foreign-release", "double-grant"]);
  for (const property of ["mutual-exclusion", "lost-updates", "linearizability"] as const) {
    expect({ property, hypotheses: violationsOf(property, recording)[0]?.hypotheses }).toEqual({
      property,
      hypotheses: promise?.hypotheses,
    });
  }
});

it("leaves a hold to its client when another one releases an entry of it or extends it under its owner value", () => {
  const free = { clients: 2, backend: "simulated" };
  const entered = (): Recording => new Recording(free).acquire(0, 0, "a").acquire(10, 0, "a");
  expect(judge("lease-exclusion", entered().release(20, 1, "a").acquire(30, 0, "a"))).toBe("valid");
  expect(judge("lease-exclusion", entered().extend(20, 1, "a").acquire(30, 0, "a"))).toBe("valid");
  expect(judge("lease-exclusion", entered().release(20, 1, "a").acquire(30, 1, "b"))).toBe(
    "invalid; double-grant 1,4,7",
  );
});
