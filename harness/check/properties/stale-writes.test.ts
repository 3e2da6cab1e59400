import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("stale-writes", recording);

it("takes fencing tokens that grow or stay", () => {
  const recording = new Recording()
    .audit(0, 1, "x", { owner: "a", fence: 1 })
    .audit(1, 2, "y", { owner: "a", fence: 1 })
    .audit(2, 3, "z", { owner: "b", fence: 5 });
  expect(judged(recording)).toBe("valid");
});

it("refuses an accepted one that is lower than the largest accepted", () => {
  const recording = new Recording()
    .audit(0, 1, "x", { owner: "a", fence: 5 })
    .audit(1, 2, "y", { owner: "b", fence: 3 })
    .audit(2, 3, "z", { owner: "c", fence: 4 });
  expect(judged(recording)).toBe("invalid; stale-accepted 0,1; stale-accepted 0,2");
});

it("refuses an accepted one that another owner has used", () => {
  const same = new Recording().audit(0, 1, "x", { owner: "a", fence: 5 }).audit(1, 2, "y", { owner: "b", fence: 5 });
  expect(judged(same)).toBe("invalid; stale-accepted 0,1");
});

it("takes an equal one for that of another owner only where the audit names both", () => {
  const equal = (...owners: readonly (string | undefined)[]): Recording => {
    const recording = new Recording();
    for (const [at, owner] of owners.entries()) {
      recording.audit(at, at + 1, `w${at}`, { fence: 5, ...(owner === undefined ? {} : { owner }) });
    }
    return recording;
  };
  expect(judged(equal("a", undefined))).toBe("valid");
  expect(judged(equal(undefined, "a"))).toBe("valid");
  expect(judged(equal(undefined, "a", "b"))).toBe("invalid; stale-accepted 1,2");
  expect(judged(equal("a", undefined, "b"))).toBe("invalid; stale-accepted 0,2");
});

it("knows nothing where the audit does not cover a position that was acknowledged", () => {
  const write = (position: number): Recording =>
    new Recording()
      .acquire(0, 0, "a", { fence: 1 })
      .audit(1, 1, "w", { owner: "a", fence: 1 })
      .write(2, 0, "a", "x", { fence: 1 })
      .wrote(3, 0, position);
  expect(judged(write(2))).toBe("unknown");
  expect(judged(write(2).audit(4, 2, "x", { owner: "a", fence: 1 }))).toBe("valid");
  expect(judged(write(1))).toBe("valid");
  expect(judged(write(2).audit(4, 3, "y", { owner: "b", fence: 0 }))).toBe("invalid; stale-accepted 2,5");
});

it("goes by the positions, in any order the audit lists them", () => {
  const recording = new Recording()
    .audit(0, 2, "y", { owner: "b", fence: 5 })
    .audit(1, 1, "x", { owner: "a", fence: 3 });
  expect(judged(recording)).toBe("valid");
});

it.each([
  ["in the order of the positions", [1, 2, 3]],
  ["the last one first", [3, 2, 1]],
  ["the stale one first", [2, 1, 3]],
  ["the one between them last", [1, 3, 2]],
])("refuses a stale write that the audit lists %s", (_, order) => {
  const fences = [5, 3, 6];
  const recording = new Recording();
  for (const [at, position] of order.entries()) {
    recording.audit(at, position, `w${position}`, { owner: `o${position}`, fence: fences[position - 1]! });
  }
  const events = [order.indexOf(1), order.indexOf(2)].toSorted((left, right) => left - right);
  expect(judged(recording)).toBe(`invalid; stale-accepted ${events.join()}`);
});

it("refuses a stale write that the audit lists before the larger token, with a position between them that it never names", () => {
  const recording = new Recording()
    .audit(0, 3, "y", { owner: "b", fence: 3 })
    .audit(1, 1, "x", { owner: "a", fence: 5 });
  expect(judged(recording)).toBe("invalid; stale-accepted 0,1");
});

it("compares a second write at one position with what was accepted up to there, and with nothing beyond", () => {
  const twice = (position: number): Recording =>
    new Recording()
      .audit(0, 1, "x", { owner: "a", fence: 3 })
      .audit(1, 2, "y", { owner: "b", fence: 5 })
      .audit(2, position, "z", { owner: "c", fence: 4 });
  expect(judged(twice(1))).toBe("valid");
  expect(judged(twice(2))).toBe("invalid; stale-accepted 1,2");
});

it("names a fault in which the resource forgot, in whatever order the audit lists the two writes", () => {
  const recording = new Recording()
    .audit(0, 2, "y", { owner: "b", fence: 3 })
    .fault(1, "forget-fences")
    .audit(2, 1, "x", { owner: "a", fence: 5 });
  const [violation] = checkHistory(recording.history).properties["stale-writes"]?.violations ?? [];
  expect(violation?.hypotheses?.map(({ fault }) => fault)).toEqual([1, undefined]);
});

it("refuses in any order of the audit what it refuses in the order of the positions", () => {
  const seen = { valid: 0, invalid: 0 };
  const write = fc.record({
    fence: fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 6 }),
    owner: fc.constantFrom("a", "b"),
    // Positions may be missing.
    gap: fc.constantFrom(1, 1, 1, 2),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 6 }), (drawn) => {
      let position = 0;
      const writes = drawn.map(({ gap, fence, owner, at }) => ({ position: (position += gap), fence, owner, at }));
      const recording = new Recording();
      for (const { position: at, ...rest } of writes.toSorted((left, right) => left.at - right.at)) {
        const { fence, owner } = rest;
        recording.audit(0, at, `w${at}`, fence === undefined ? { owner } : { owner, fence });
      }
      const fenced = writes.flatMap(({ fence, owner }) => (fence === undefined ? [] : [{ fence, owner }]));
      const isStale = fenced.some(({ fence, owner }, place) =>
        fenced.slice(0, place).some((other) => other.fence > fence || (other.fence === fence && other.owner !== owner)),
      );
      const expected = fenced.length === 0 ? "not-applicable" : isStale ? "invalid" : "valid";
      expect(checkHistory(recording.history).properties["stale-writes"]?.verdict).toBe(expected);
      if (expected !== "not-applicable") seen[expected] += 1;
    }),
    { numRuns: 2000 },
  );
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(100);
});

it("keeps the resources of keys apart", () => {
  const recording = new Recording()
    .on("k1")
    .audit(0, 1, "x", { owner: "a", fence: 5 })
    .on("k2")
    .audit(1, 1, "y", { owner: "b", fence: 3 });
  expect(judged(recording)).toBe("valid");
});

it("takes stale writes that were refused, and remarks upon them", () => {
  const recording = new Recording()
    .audit(0, 1, "x", { owner: "a", fence: 5 })
    .audit(1, 1, "y", { owner: "b", fence: 3, accepted: false });
  expect(judged(recording)).toBe("valid");
  expect(checkHistory(recording.history).remarks).toEqual([
    "write y with fencing token 3 was refused after 5 was accepted",
  ]);
});

it("lists twenty remarks and counts the rest", () => {
  const recording = new Recording().audit(0, 1, "x", { owner: "a", fence: 5 });
  for (let count = 0; count < 25; count += 1) recording.audit(1, 1, "y", { owner: "b", fence: 3, accepted: false });
  const { remarks } = checkHistory(recording.history);
  expect(remarks).toHaveLength(21);
  expect(remarks.at(-1)).toBe("5 more stale writes are not listed");
});

it("does not count writes without a fencing token", () => {
  expect(judged(new Recording().audit(0, 1, "x", { owner: "a" }))).toBe("not-applicable");
  const some = new Recording().audit(0, 1, "x", { owner: "a", fence: 5 }).audit(1, 2, "y", { owner: "b" });
  expect(judged(some)).toBe("valid");
});

it("remarks upon a write that was accepted after a larger fencing token had been granted", () => {
  const before = new Recording()
    .acquire(0, 0, "a", { fence: 1 })
    .acquire(1100, 1, "b", { fence: 2 })
    .write(1200, 0, "a", "x", { fence: 1 })
    .audit(1201, 1, "x", { owner: "a", fence: 1 })
    .wrote(1202, 0, 1);
  expect(judged(before)).toBe("valid");
  expect(checkHistory(before.history).remarks).toEqual([
    "write x with fencing token 1 was accepted after fencing token 2 had been granted: a resource that checks fencing tokens refuses it only once it has accepted a larger one",
  ]);
  const sentBefore = new Recording()
    .acquire(0, 0, "a", { fence: 1 })
    .write(900, 0, "a", "x", { fence: 1 })
    .acquire(1100, 1, "b", { fence: 2 })
    .audit(1201, 1, "x", { owner: "a", fence: 1 })
    .wrote(1202, 0, 1);
  expect(checkHistory(sentBefore.history).remarks).toEqual([]);
});

it("knows nothing of acknowledged writes without an audit", () => {
  const recording = new Recording().acquire(0, 0, "a", { fence: 1 }).write(2, 0, "a", "x", { fence: 1 });
  expect(judged(recording)).toBe("not-applicable");
  expect(judged(recording.wrote(3, 0, 1))).toBe("unknown");
});

describe("a rightful holder whose write is refused", () => {
  /** `a` takes the key first and is told the larger fencing token late, when `b` holds. Both write, `a` first. */
  const overtaken = (facts: { atMs?: number; leaseMs?: number; fence?: number } = {}): Recording => {
    const { atMs = 400, leaseMs = 1000, fence = 1 } = facts;
    return new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs: 100 })
      .acquire(200, 1, "b", { fence, ttlMs: leaseMs })
      .granted(300, 0, "a", { fence: 2 })
      .write(310, 0, "a", "x", { fence: 2 })
      .audit(311, 1, "x", { owner: "a", fence: 2 })
      .wrote(312, 0, 1)
      .write(atMs, 1, "b", "y", { fence: 1 })
      .audit(atMs + 1, 1, "y", { owner: "b", fence: 1, accepted: false });
  };

  it("is a violation", () => {
    expect(judged(overtaken().refuseWrite(402, 1))).toBe("invalid; rightful-write-refused 2,5,7,8,9");
  });

  it("is the fault's doing, if the lock forgot the tokens that it had issued", () => {
    const forgotten = (): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .acquire(0, 0, "a", { fence: 7 })
        .write(10, 0, "a", "x", { fence: 7 })
        .audit(11, 1, "x", { owner: "a", fence: 7 })
        .wrote(12, 0, 1)
        .release(20, 0, "a")
        .fault(100, "restart-node")
        .acquire(200, 1, "b", { fence: 1 })
        .write(210, 1, "b", "y", { fence: 1 })
        .audit(211, 1, "y", { owner: "b", fence: 1, accepted: false })
        .refuseWrite(212, 1);
    expect(judged(forgotten())).toMatch(/^invalid; token-rollback/);
    const before = new Recording({ clients: 3 }).fault(0, "restart-node").seek(1, 0, { ttlMs: 100 });
    const early = before.acquire(200, 1, "b", { fence: 1 }).granted(300, 0, "a", { fence: 2 });
    const written = early.write(310, 0, "a", "x", { fence: 2 }).audit(311, 1, "x", { owner: "a", fence: 2 });
    const refused = written.wrote(312, 0, 1).write(400, 1, "b", "y", { fence: 1 });
    expect(judged(refused.audit(401, 1, "y", { owner: "b", fence: 1, accepted: false }).refuseWrite(402, 1))).toMatch(
      /^invalid; rightful-write-refused/,
    );
  });

  it("is none once its lease is over, or when it has released", () => {
    expect(judged(overtaken({ atMs: 1198, leaseMs: 1000 }).refuseWrite(1201, 1))).toBe("valid");
    expect(judged(overtaken({ leaseMs: 150 }).refuseWrite(402, 1))).toBe("valid");
  });

  it("is none where an extension may be of a later hold of its owner value, with another fencing token", () => {
    const extended = (atMs: number): Recording =>
      new Recording({ clients: 3 })
        .seek(0, 0, { ttlMs: 100 })
        .info(5, 0, "acquire")
        .seek(10, 3, { ttlMs: 100 })
        .acquire(120, 1, "b", { fence: 3, ttlMs: 10 })
        .write(123, 1, "b", "x", { fence: 3 })
        .audit(124, 1, "x", { owner: "b", fence: 3 })
        .wrote(125, 1, 1)
        .granted(150, 3, "a", { fence: 2, validForMs: 20 })
        .extend(atMs, 3, "a", { ttlMs: 100 })
        .write(190, 3, "a", "y", { fence: 2 })
        .audit(191, 1, "y", { owner: "a", fence: 2, accepted: false })
        .refuseWrite(192, 3);
    expect(judged(extended(160))).toBe("invalid; rightful-write-refused 6,8,11,12,13");
    expect(judged(extended(175))).toBe("valid");
  });

  it("is none where a fault may have taken its lock", () => {
    expect(judged(overtaken().refuseWrite(402, 1).fault(900, "restart-node"))).toBe("valid");
    expect(judged(overtaken().refuseWrite(402, 1).fault(900, "pause-client"))).toMatch(/^invalid/);
  });

  it("is none where another lease was in force, or somebody was granted the lock later", () => {
    const rights = (ttlMs: number): Recording =>
      new Recording({ clients: 3 })
        .acquire(0, 0, "b", { fence: 1 })
        .acquire(200, 1, "a", { fence: 2, ttlMs })
        .write(210, 1, "a", "x", { fence: 2 })
        .audit(211, 1, "x", { owner: "a", fence: 2 })
        .wrote(212, 1, 1)
        .write(400, 0, "b", "y", { fence: 1 })
        .audit(401, 1, "y", { owner: "b", fence: 1, accepted: false })
        .refuseWrite(402, 0);
    expect(judged(rights(1000))).toBe("valid");
    expect(judged(rights(50))).toBe("valid");
  });

  it("is none where another lease was in force when it was granted the lock: nobody knows which grant came first", () => {
    const beside = (ttlMs: number): Recording =>
      new Recording({ clients: 3 })
        .seek(0, 1)
        .seek(1, 0, { ttlMs })
        .granted(2, 0, "a", { fence: 2 })
        .granted(4, 1, "b", { fence: 1 })
        .write(5, 0, "a", "x", { fence: 2 })
        .wrote(6, 0, 1);
    const judgedAfter = (recording: Recording): string =>
      judged(
        recording
          .write(10, 1, "b", "y", { fence: 1 })
          .refuseWrite(12, 1)
          .audit(20, 1, "x", { owner: "a", fence: 2 })
          .audit(21, 1, "y", { owner: "b", fence: 1, accepted: false }),
      );
    expect(judgedAfter(beside(2))).toMatch(/^invalid/);
    expect(judgedAfter(beside(2).leave(7, 0, "a"))).toMatch(/^invalid/);
    // In force at 4 ms, and over or given up before the write.
    expect(judgedAfter(beside(5))).toBe("valid");
    expect(judgedAfter(beside(1000).leave(7, 0, "a"))).toBe("valid");
  });

  it("is one too where another owner's earlier hold has the same fencing token", () => {
    const equal = (owner: string): Recording =>
      new Recording({ clients: 3 })
        .acquire(0, 0, "a", { fence: 1 })
        .write(10, 0, "a", "x", { fence: 1 })
        .wrote(12, 0, 1)
        .release(20, 0, "a")
        .acquire(30, 1, owner, { fence: 1 })
        .write(40, 1, owner, "y", { fence: 1 })
        .refuseWrite(42, 1)
        .audit(50, 1, "x", { owner: "a", fence: 1 })
        .audit(51, 1, "y", { owner, fence: 1, accepted: false });
    expect(judged(equal("b"))).toBe("invalid; rightful-write-refused 7,8,9,10,11");
    expect(violationsOf("stale-writes", equal("b"))[0]?.explanation).toContain(
      "because it had accepted fencing token 1 of owner a. ",
    );
    expect(violationsOf("stale-writes", equal("b"))[0]?.explanation).toContain(
      "an earlier hold has the same fencing token: the lock must issue a larger one for each hold.",
    );
    // A resource that refuses the same owner's token has another reason.
    expect(judged(equal("a"))).toBe("valid");
  });

  it("is none where another lease may have been in force at its grant", () => {
    const beside = (ttlMs: number): string =>
      judged(
        new Recording()
          .seek(0, 0, { ttlMs: 300 })
          .acquire(1, 1, "a", { ttlMs })
          .info(38, 0, "acquire")
          .audit(760, 1, "x", { fence: 2 })
          .acquire(762, 2, "b", { fence: 1, ttlMs: 1200 })
          .write(764, 2, "b", "y", { fence: 1 })
          .audit(765, 1, "y", { fence: 1, accepted: false })
          .refuseWrite(766, 2),
      );
    // The acquire of unknown outcome may have set the lease anew, to a shorter one, or may be another client's.
    expect(beside(1200)).toBe("valid");
    expect(beside(600)).toMatch(/^invalid/);
  });

  it("is none where another was granted the key later, though with a lease that was over before this grant", () => {
    const later = (validForMs: number): Recording =>
      new Recording({ clients: 3 })
        .acquire(200, 1, "b", { fence: 1 })
        .acquire(300, 0, "a", { fence: 2, validForMs })
        .audit(311, 1, "x", { owner: "a", fence: 2 })
        .write(400, 1, "b", "y", { fence: 1 })
        .audit(401, 1, "y", { owner: "b", fence: 1, accepted: false })
        .refuseWrite(402, 1);
    expect(judged(later(50))).toBe("valid");
    expect(judged(later(-150))).toBe("valid");
  });

  it("is none where somebody else's release may have taken the lock", () => {
    const taken = new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs: 100 })
      .acquire(200, 1, "b", { fence: 1, ttlMs: 1000 })
      .release(250, 2, "z");
    const refused = taken
      .granted(300, 0, "a", { fence: 2 })
      .audit(311, 1, "x", { owner: "a", fence: 2 })
      .write(400, 1, "b", "y", { fence: 1 })
      .audit(401, 1, "y", { owner: "b", fence: 1, accepted: false });
    expect(judged(refused.refuseWrite(402, 1))).toBe("valid");
  });

  it("is none where the audit is not in the order of its positions: the larger token may have come later", () => {
    const disordered = overtaken().audit(403, 3, "u").audit(404, 2, "v");
    expect(judged(disordered.refuseWrite(405, 1))).toBe("valid");
  });

  it("is none where it did not write with the token of its hold, or the answer is unknown", () => {
    const other = overtaken().refuseWrite(402, 1).write(410, 1, "b", "z", { fence: 0 });
    expect(judged(other.audit(411, 1, "z", { owner: "b", fence: 0, accepted: false }).refuseWrite(412, 1))).toBe(
      "invalid; rightful-write-refused 2,5,7,8,9",
    );
    expect(judged(overtaken({ fence: 0 }).refuseWrite(402, 1))).toBe("valid");
    expect(judged(overtaken().info(402, 1, "write"))).toBe("valid");
    expect(judged(overtaken().failWrite(402, 1))).toBe("valid");
  });
});
