/** Clients that do several things with one key at a time, under one owner value: nobody knows in which order they came. */
import { describe, expect, it } from "vitest";
import type { Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** Processes 0 and 2 are client 0, process 1 is client 1. */
const busy = (): Recording => new Recording({ clients: 2, backend: "simulated" });

function verdict(property: Property, recording: Recording): string | undefined {
  return judge(property, recording).split(";")[0];
}

describe("a grant that was answered after a later one", () => {
  const answered = (): Recording =>
    busy().seek(0, 0, { ttlMs: 50 }).seek(55, 2, { ttlMs: 50 }).granted(60, 2, "a", { fence: 2 });

  it("keeps its fencing token", () => {
    expect(verdict("fencing-tokens", answered().granted(65, 0, "a", { fence: 1 }))).toBe("valid");
    const again = answered().refused(61, 0).acquire(62, 0, "a", { fence: 1 });
    expect(verdict("fencing-tokens", again)).toBe("invalid");
  });

  it("promises no more than the shorter of the two leases", () => {
    const twice = (first: number, second: number): Recording =>
      busy()
        .seek(0, 0, { ttlMs: first })
        .acquire(2, 2, "a", { ttlMs: second })
        .granted(5, 0, "a")
        .acquire(60, 1, "b")
        .release(70, 0, "a")
        .release(80, 1, "b");
    expect(verdict("lease-exclusion", twice(400, 20))).toBe("valid");
    expect(verdict("lease-exclusion", twice(20, 400))).toBe("valid");
    expect(verdict("lease-exclusion", twice(400, 400))).toBe("invalid");
    expect(judge("mutual-exclusion", twice(400, 20))).toMatch(/^invalid; overrun /);
  });

  it("may have been given up already, by a release of its owner value", () => {
    const released = (owner: string): Recording =>
      busy()
        .acquire(0, 2, owner, { ttlMs: 20 })
        .seek(5, 0, { ttlMs: 400 })
        .release(10, 2, owner)
        .acquire(40, 1, "b")
        .granted(50, 0, "a")
        .release(60, 1, "b")
        .release(70, 0, "a");
    for (const property of ["mutual-exclusion", "lease-exclusion"] as const) {
      expect(verdict(property, released("a"))).toBe("valid");
      expect(verdict(property, released("x"))).toBe("invalid");
    }
  });

  it("may be over already, by a notice that the lease is lost", () => {
    const told = (owner: string): Recording =>
      busy()
        .acquire(0, 2, owner, { ttlMs: 20 })
        .seek(5, 0, { ttlMs: 400 })
        .lost(10, 2, owner)
        .acquire(40, 1, "b")
        .granted(50, 0, "a")
        .release(60, 1, "b")
        .release(70, 0, "a");
    expect(verdict("lease-exclusion", told("a"))).toBe("valid");
    expect(verdict("lease-exclusion", told("x"))).toBe("invalid");
  });

  it("may be over already, because the other lease is", () => {
    const late = (ttlMs: number): Recording =>
      busy()
        .seek(0, 0, { ttlMs: 400 })
        .acquire(2, 2, "a", { ttlMs })
        .acquire(40, 1, "b")
        .granted(50, 0, "a")
        .release(60, 1, "b")
        .release(70, 0, "a");
    expect(verdict("mutual-exclusion", late(20))).toBe("valid");
    expect(verdict("mutual-exclusion", late(400))).toBe("invalid");
  });

  it("is certain again once it is extended", () => {
    const extended = busy()
      .seek(0, 0, { ttlMs: 400 })
      .acquire(5, 2, "a", { ttlMs: 20 })
      .release(15, 2, "a")
      .granted(20, 0, "a")
      .extend(25, 0, "a", { ttlMs: 400 })
      .acquire(40, 1, "b")
      .release(60, 1, "b")
      .release(70, 0, "a");
    expect(verdict("lease-exclusion", extended)).toBe("invalid");
    expect(verdict("mutual-exclusion", extended)).toBe("invalid");
  });

  it("is not certain while the release may have come after the extension", () => {
    const asked = (): Recording =>
      busy()
        .seek(0, 0, { ttlMs: 400 })
        .acquire(2, 2, "a", { ttlMs: 10 })
        .leave(15, 2, "a")
        .granted(20, 0, "a")
        .seekExtension(25, 0, "a", 400)
        .seek(30, 1);
    const before = asked().left(32, 2, true).extended(34, 0, "a").granted(40, 1, "b").release(60, 1, "b");
    const after = asked().extended(34, 0, "a").left(36, 2, true).granted(40, 1, "b").release(60, 1, "b");
    for (const property of ["lease-exclusion", "mutual-exclusion", "linearizability"] as const) {
      expect(verdict(property, before)).toBe("valid");
      expect(verdict(property, after)).toBe("valid");
    }
    const certain = asked().left(31, 2, true).extended(34, 0, "a").extend(36, 0, "a", { ttlMs: 400 });
    expect(verdict("lease-exclusion", certain.granted(40, 1, "b"))).toBe("invalid");
  });
});

describe("a grant beside a release of its owner value that was entered again", () => {
  const entered = (): Recording =>
    busy()
      .seek(0, 0)
      .leave(1, 2, "a")
      .granted(2, 0, "a")
      .left(4, 2)
      .acquire(10, 0, "a")
      .extend(20, 0, "a")
      .release(30, 0, "a");

  it("may be over after one more release, also where it was extended meanwhile", () => {
    for (const property of ["lease-exclusion", "linearizability"] as const) {
      expect(verdict(property, entered().acquire(40, 1, "b"))).toBe("valid");
      const before = busy().acquire(0, 0, "a").acquire(10, 0, "a").extend(20, 0, "a").release(30, 0, "a");
      expect(verdict(property, before.acquire(40, 1, "b"))).toBe("invalid");
    }
    expect(verdict("linearizability", entered().extend(35, 0, "a").acquire(40, 1, "b"))).toBe("invalid");
  });
});

describe("an extension that was answered after a later one", () => {
  const extended = (first: number, second: number): Recording =>
    busy()
      .acquire(0, 0, "a", { ttlMs: 100 })
      .seekExtension(10, 0, "a", first)
      .extend(20, 2, "a", { ttlMs: second })
      .acquire(60, 1, "b")
      .extended(70, 0, "a")
      .release(80, 0, "a")
      .release(90, 1, "b");

  it("promises no more than the shorter lease", () => {
    expect(verdict("lease-exclusion", extended(400, 20))).toBe("valid");
    expect(verdict("lease-exclusion", extended(20, 400))).toBe("valid");
    expect(verdict("lease-exclusion", extended(400, 400))).toBe("invalid");
  });

  it("is known to be the last one where it was asked for after the other's answer", () => {
    const one = busy()
      .acquire(0, 0, "a", { ttlMs: 100 })
      .extend(20, 2, "a", { ttlMs: 20 })
      .extend(30, 0, "a", { ttlMs: 400 });
    expect(verdict("lease-exclusion", one.acquire(60, 1, "b").release(80, 0, "a"))).toBe("invalid");
  });

  it("does not count as the last one beside a renewal that was reported later", () => {
    const renewed = (grantedAtMs: number): Recording =>
      busy()
        .acquire(0, 0, "a", { ttlMs: 100 })
        .extend(20, 0, "a", { ttlMs: 20 })
        .renewed(22, 0, "a", 400, grantedAtMs)
        .acquire(60, 1, "b")
        .release(80, 0, "a")
        .release(90, 1, "b");
    expect(verdict("lease-exclusion", renewed(19))).toBe("valid");
    expect(verdict("lease-exclusion", renewed(22))).toBe("invalid");
  });
});

describe("an acquire that was under way before its client was granted the lock", () => {
  const beside = (answer: (recording: Recording) => Recording): Recording =>
    answer(busy().seek(0, 2, { ttlMs: 20 }).acquire(5, 0, "a", { ttlMs: 400 }).acquire(60, 1, "b"))
      .release(80, 0, "a")
      .release(90, 1, "b");

  it("may have cut the lease, unless it failed or was granted under another owner value", () => {
    const promised = (answer: (recording: Recording) => Recording): string | undefined =>
      verdict("lease-exclusion", beside(answer));
    expect(promised((recording) => recording.info(70, 2, "acquire"))).toBe("valid");
    expect(promised((recording) => recording.granted(70, 2, "a"))).toBe("valid");
    expect(promised((recording) => recording.refused(70, 2))).toBe("invalid");
    expect(promised((recording) => recording.granted(70, 2, "a2"))).toBe("invalid");
  });

  it("may have entered the hold once more, so that a release left it and its fencing token", () => {
    const token = (answer: (recording: Recording) => Recording): string | undefined =>
      verdict(
        "fencing-tokens",
        answer(busy().seek(0, 2).acquire(5, 0, "a", { fence: 1 }).release(10, 0, "a")).acquire(20, 0, "a", {
          fence: 1,
        }),
      );
    expect(token((recording) => recording)).toBe("valid");
    expect(token((recording) => recording.refused(15, 2))).toBe("invalid");
  });

  it("may have begun the hold that was extended meanwhile", () => {
    const token = (askedAt: number): string | undefined => {
      const recording = busy().acquire(0, 0, "a", { ttlMs: 20, fence: 1 });
      const before = askedAt < 34 ? recording.seek(askedAt, 2, { ttlMs: 50 }) : recording;
      const extended = before.extend(34, 0, "a", { ttlMs: 100 });
      const asked = askedAt < 34 ? extended : extended.seek(askedAt, 2, { ttlMs: 50 });
      return verdict("fencing-tokens", asked.granted(40, 2, "a", { fence: 2 }));
    };
    expect(token(30)).toBe("valid");
    expect(token(36)).toBe("invalid");
  });
});

it("a release may have ended a hold that was asked for while it was under way, and was never answered", () => {
  const released = (process: number): Recording =>
    busy()
      .acquire(0, 0, "a", { ttlMs: 20 })
      .acquire(40, 1, "b", { ttlMs: 20 })
      .leave(50, 0, "a")
      .seek(52, process)
      .left(90, 0);
  expect(verdict("linearizability", released(2))).toBe("valid");
  expect(verdict("linearizability", released(3))).toBe("invalid");
  // The same where operations of the owner value overlapped before.
  const twice = (process: number): Recording =>
    busy()
      .seek(0, 0, { ttlMs: 20 })
      .acquire(1, 2, "a", { ttlMs: 20 })
      .granted(4, 0, "a")
      .acquire(40, 1, "b", { ttlMs: 20 })
      .leave(50, 0, "a")
      .seek(52, process)
      .left(90, 0);
  expect(verdict("linearizability", twice(2))).toBe("valid");
  expect(verdict("linearizability", twice(3))).toBe("invalid");
});

it("an extension that was under way beside a grant may have cut its lease", () => {
  const extended = (ttlMs: number, isFirst: boolean): Recording => {
    const asked = busy().acquire(0, 0, "a", { ttlMs: 20 }).seekExtension(10, 0, "a", ttlMs).seek(12, 2, { ttlMs: 400 });
    const answered = isFirst
      ? asked.extended(40, 0, "a").granted(41, 2, "a")
      : asked.granted(40, 2, "a").extended(41, 0, "a");
    return answered.acquire(80, 1, "b").release(90, 1, "b").release(100, 0, "a");
  };
  for (const isFirst of [true, false]) {
    expect(verdict("lease-exclusion", extended(20, isFirst))).toBe("valid");
    expect(verdict("lease-exclusion", extended(400, isFirst))).toBe("invalid");
  }
});

it("an extension that is never answered may cut the lease of a later hold of its owner value", () => {
  const extended = (owner: string): Recording =>
    busy()
      .acquire(0, 0, owner, { ttlMs: 20 })
      .seekExtension(10, 0, owner, 20)
      .acquire(40, 2, "a", { ttlMs: 400 })
      .acquire(80, 1, "b")
      .release(90, 1, "b")
      .release(100, 2, "a");
  expect(verdict("lease-exclusion", extended("a"))).toBe("valid");
  expect(verdict("lease-exclusion", extended("a0"))).toBe("invalid");
});

it("may have a lease that the lock renewed for shorter, also where it is not known how often it was entered", () => {
  const entered = (): Recording =>
    busy().seek(0, 2, { ttlMs: 20 }).acquire(1, 0, "a").granted(50, 2, "a").acquire(60, 0, "a").release(70, 0, "a");
  for (const renewed of [entered().renewed(80, 0, "a", 20), entered().renewed(80, 0, "a", 5, 72)]) {
    expect(verdict("linearizability", renewed.release(90, 2, "a").acquire(105, 1, "b"))).toBe("valid");
  }
  expect(verdict("linearizability", entered().release(90, 2, "a").acquire(105, 1, "b"))).toBe("invalid");
});

describe("a second grant to a client, under another owner value", () => {
  /** The first hold has a lease until `ttlMs`; process 2 is client 0 as well. */
  const twice = (by: number, { ttlMs = 400, begun = false, facts = {} } = {}): Recording => {
    const recording = new Recording({ clients: 2, backend: "simulated", ...facts });
    const first = recording.acquire(0, 0, "a", { ttlMs });
    return (begun ? first.on("other").acquire(2, 2, "x").on("k").extend(5, 0, "a", { ttlMs }) : first)
      .acquire(40, by, "a2")
      .release(60, 0, "a")
      .release(70, by, "a2");
  };

  it("leaves both holds where two of its tasks hold them", () => {
    for (const facts of [{ facts: { tasks: [2, 1] } }, { begun: true }]) {
      expect(judge("mutual-exclusion", twice(2, facts))).toMatch(/^invalid; double-grant/);
      expect(judge("lease-exclusion", twice(2, facts))).toMatch(/^invalid; double-grant/);
      expect(judge("mutual-exclusion", twice(2, { ...facts, ttlMs: 20 }))).toMatch(/^invalid; overrun/);
    }
  });

  it("shows that the client has forgotten its first hold where one task asked twice, or may have", () => {
    expect(verdict("mutual-exclusion", twice(0, { begun: true }))).toBe("valid");
    expect(verdict("mutual-exclusion", twice(2))).toBe("valid");
    // Its number changed, because it does not know the outcome of its write, also where this is recorded later.
    const other = (): Recording => busy().acquire(0, 0, "a").write(5, 0, "a", "x");
    const later = other().seek(40, 2).info(41, 0, "write").granted(42, 2, "a2").release(60, 2, "a");
    expect(verdict("mutual-exclusion", later)).toBe("valid");
  });

  it("leaves both where the tasks show only afterwards that they are two, in a history that another program recorded", () => {
    const { history } = twice(2, { facts: { backend: undefined } });
    expect(checkHistory(history, { foreign: true }).properties["mutual-exclusion"]?.verdict).toBe("invalid");
  });

  it("is no sign that the client means the hold of its other task", () => {
    const reading = (by: number): Recording =>
      new Recording({ clients: 2, tasks: [2, 1] })
        .acquire(0, 0, "a", { ttlMs: 20 })
        .acquire(40, 1, "b")
        .read(50, by, 0)
        .release(60, 1, "b");
    expect(verdict("mutual-exclusion", reading(0))).toBe("invalid");
    expect(verdict("mutual-exclusion", reading(2))).toBe("valid");
  });
});

describe("a write that was refused because of a larger fencing token", () => {
  const refused = (recording: Recording): Recording =>
    recording
      .write(60, 0, "a", "x", { fence: 2 })
      .audit(61, 1, "x", { owner: "a", fence: 2 })
      .wrote(62, 0, 1)
      .write(70, 2, "a", "y", { fence: 1 })
      .audit(71, 1, "y", { owner: "a", fence: 1, accepted: false })
      .refuseWrite(72, 2);

  it("may be the older of two that its owner was granted, in whichever order it was told", () => {
    const later = busy().acquire(0, 2, "a", { fence: 1 }).leave(10, 0, "a").seek(11, 2).left(12, 0);
    expect(verdict("stale-writes", refused(later.granted(13, 2, "a", { fence: 2 })))).toBe("valid");
    const late = busy().seek(0, 2).acquire(20, 0, "a", { fence: 2 }).granted(30, 2, "a", { fence: 1 });
    expect(verdict("stale-writes", refused(late))).toBe("valid");
    const before = busy().acquire(0, 0, "a", { fence: 2 }).release(10, 0, "a").acquire(20, 2, "a", { fence: 1 });
    expect(verdict("stale-writes", refused(before))).toBe("invalid");
  });
});
