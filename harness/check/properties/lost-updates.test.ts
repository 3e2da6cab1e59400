import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("lost-updates", recording);

it("takes writes that build on each other", () => {
  const recording = new Recording()
    .acquire(0, 0, "a")
    .write(2, 0, "a", "x", { basedOn: 0 })
    .audit(3, 1, "x", { owner: "a", basedOn: 0 })
    .wrote(4, 0, 1)
    .write(5, 0, "a", "y", { basedOn: 1 })
    .audit(6, 2, "y", { owner: "a", basedOn: 1 })
    .wrote(7, 0, 2);
  expect(judged(recording)).toBe("valid");
});

it("takes audits that come late, before or after the acknowledgement", () => {
  const written = new Recording().acquire(0, 0, "a").write(2, 0, "a", "x");
  expect(judged(written.wrote(3, 0, 1).audit(9, 1, "x", { owner: "a" }))).toBe("valid");
});

it("misses an acknowledged write that was not applied, to its own key", () => {
  const recording = new Recording()
    .on("k1")
    .acquire(0, 0, "a")
    .write(2, 0, "a", "x")
    .wrote(3, 0, 1)
    .on("k2")
    .audit(4, 1, "x", { owner: "a" });
  expect(judged(recording)).toBe("unknown");
  expect(judged(recording.on("k1").audit(5, 1, "y", { owner: "a" }))).toBe("invalid; lost-write 2,3");
});

it("misses one only where the audit shows another write at its position", () => {
  const partial = (...positions: readonly number[]): Recording => {
    const recording = new Recording().acquire(0, 0, "a").write(2, 0, "a", "x").wrote(3, 0, 2);
    for (const position of positions) recording.audit(4, position, `other ${position}`, { owner: "a" });
    return recording;
  };
  expect(judged(partial(1))).toBe("unknown");
  expect(judged(partial(1, 3, 5))).toBe("unknown");
  expect(judged(partial(1, 2))).toBe("invalid; lost-write 2,3");
  expect(judged(partial(3, 2))).toBe("invalid; lost-write 2,3");
  expect(judged(partial(2, 1).audit(5, 4, "x", { owner: "a" }))).toBe("valid");
});

it.each([
  ["in the order of the positions", [1, 2, 3]],
  ["before the update that it overwrote", [1, 3, 2]],
  ["the last one first", [3, 2, 1]],
])("names the update that was overwritten, where the audit lists the writes %s", (_, order) => {
  const recording = new Recording().acquire(0, 0, "a");
  for (const [position, basedOn] of [0, 1, 1].map((basedOn, at) => [at + 1, basedOn] as const)) {
    recording.write(position * 10, 0, "a", `w${position}`, { basedOn }).wrote(position * 10 + 1, 0, position);
  }
  for (const position of order) {
    recording.audit(90, position, `w${position}`, { owner: "a", basedOn: position === 3 ? 1 : position - 1 });
  }
  const violations = violationsOf("lost-updates", recording);
  expect(violations.map(({ explanation }) => explanation)).toEqual([
    expect.stringContaining("it overwrote 1 update that its author never saw, w2 of owner a."),
  ]);
});

it("names no update that was overwritten where the audit does not list it", () => {
  const recording = new Recording()
    .acquire(0, 0, "a")
    .audit(1, 1, "x", { owner: "a" })
    .audit(2, 3, "z", { owner: "a", basedOn: 1 });
  const [violation] = violationsOf("lost-updates", recording);
  expect(violation?.explanation).toContain("it overwrote 1 update that its author never saw. ");
});

it("knows nothing where a write is based on its own position or a later one", () => {
  const recording = (basedOn: number): Recording =>
    new Recording()
      .acquire(0, 0, "a")
      .write(2, 0, "a", "x", { basedOn })
      .wrote(3, 0, 1)
      .audit(4, 1, "x", { owner: "a", basedOn });
  expect([0, 1, 5].map((basedOn) => judged(recording(basedOn)))).toEqual(["valid", "unknown", "unknown"]);
});

it("finds a write that was applied though it reported failure", () => {
  const recording = new Recording()
    .acquire(0, 0, "a")
    .write(2, 0, "a", "x")
    .failWrite(3, 0)
    .audit(4, 1, "x", { owner: "a" });
  expect(judged(recording)).toBe("invalid; effect-after-failure 2,3,4");
  const refused = new Recording().acquire(0, 0, "a").write(2, 0, "a", "x").failWrite(3, 0);
  expect(judged(refused.audit(4, 0, "x", { owner: "a", accepted: false }))).toBe("valid");
});

it("takes a write of unknown outcome, applied or not", () => {
  const open = (): Recording => new Recording().acquire(0, 0, "a").write(2, 0, "a", "x").info(3, 0, "write");
  expect(judged(open().audit(4, 1, "x", { owner: "a" }))).toBe("valid");
  expect(judged(open().audit(4, 1, "other"))).toBe("valid");
});

it("cannot tell two writes with the same data apart, but judges what they build on", () => {
  const twins = new Recording()
    .acquire(0, 0, "a")
    .write(2, 0, "a", "x", { basedOn: 0 })
    .write(3, 1, "b", "x", { basedOn: 0 })
    .wrote(4, 0, 1)
    .wrote(5, 1, 2)
    .audit(6, 1, "x", { basedOn: 0 });
  expect(judged(twins)).toBe("valid");
  expect(judged(twins.audit(7, 2, "x", { basedOn: 0 }))).toMatch(/^invalid/);
});

it("does not take the failure of one of two such writes for the other's", () => {
  const twins = new Recording()
    .acquire(0, 0, "a")
    .write(2, 0, "a", "x")
    .write(3, 1, "b", "x")
    .wrote(4, 1, 1)
    .failWrite(5, 0)
    .audit(6, 1, "x");
  expect(judged(twins)).toBe("valid");
});

it("blames the resource that accepted a lower fencing token", () => {
  const recording = new Recording()
    .audit(1, 1, "x", { owner: "b", fence: 5, basedOn: 0 })
    .audit(2, 2, "y", { owner: "a", fence: 4, basedOn: 0 });
  expect(judged(recording)).toBe("invalid; stale-accepted 0,1");
});

it("blames the fault in which the resource forgot the tokens that it had accepted", () => {
  const recording = new Recording()
    .audit(1, 1, "x", { owner: "b", fence: 5, basedOn: 0 })
    .fault(2, "forget-fences")
    .audit(3, 2, "y", { owner: "a", fence: 4, basedOn: 0 });
  const [violation] = violationsOf("lost-updates", recording);
  expect(violation?.hypotheses?.map(({ fault }) => fault)).toEqual([1, undefined]);
});

it("blames the client that wrote beyond its lease", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { validForMs: 500 })
    .acquire(600, 1, "b", { validForMs: 500 })
    .write(610, 0, "a", "x", { basedOn: 0 })
    .audit(611, 1, "x", { owner: "a", basedOn: 0 })
    .wrote(612, 0, 1)
    .write(620, 1, "b", "y", { basedOn: 0 })
    .audit(621, 2, "y", { owner: "b", basedOn: 0 })
    .wrote(622, 1, 2);
  expect(judged(recording)).toBe("invalid; overrun 5,7,8");
});

it("blames the lock that granted twice", () => {
  const recording = new Recording()
    .acquire(0, 0, "a")
    .acquire(5, 1, "b")
    .write(10, 0, "a", "x", { basedOn: 0 })
    .audit(11, 1, "x", { owner: "a", basedOn: 0 })
    .wrote(12, 0, 1)
    .write(20, 1, "b", "y", { basedOn: 0 })
    .audit(21, 2, "y", { owner: "b", basedOn: 0 })
    .wrote(22, 1, 2);
  expect(judged(recording)).toBe("invalid; double-grant 5,7,8");
});

it("blames the lock that extended a lease after another client had held", () => {
  const begun = (): Recording =>
    new Recording().acquire(0, 0, "a", { validForMs: 500 }).seekExtension(100, 0, "a", 5000);
  const between = (it: Recording): Recording =>
    it
      .acquire(600, 1, "b", { validForMs: 500 })
      .write(610, 1, "b", "x", { basedOn: 0 })
      .audit(611, 1, "x", { owner: "b", basedOn: 0 })
      .wrote(612, 1, 1)
      .release(620, 1, "b");
  const ended = (it: Recording): Recording =>
    it.write(710, 0, "a", "y", { basedOn: 0 }).audit(711, 2, "y", { owner: "a", basedOn: 0 }).wrote(712, 0, 2);
  expect(judged(ended(between(begun()).extended(700, 0, "a", { validForMs: 4000 })))).toMatch(
    /^invalid; foreign-release 2,/,
  );
  // Without the extension it is the client that outlived its lease.
  expect(judged(ended(between(begun()).info(700, 0, "extend")))).toMatch(/^invalid; overrun /);
});

it("blames no extension after a grant that was only answered later", () => {
  const overran = (fences: readonly [number, number]): string =>
    judged(
      new Recording()
        .seek(0, 1, { ttlMs: 500 })
        .seek(600, 0, { ttlMs: 1000 })
        .granted(610, 0, "a", { fence: fences[0] })
        .granted(700, 1, "b", { fence: fences[1] })
        .write(710, 1, "b", "x", { basedOn: 0, fence: fences[1] })
        .audit(711, 1, "x", { owner: "b", basedOn: 0 })
        .wrote(712, 1, 1)
        .extend(714, 0, "a")
        .write(720, 0, "a", "y", { basedOn: 0, fence: fences[0] })
        .audit(721, 2, "y", { owner: "a", basedOn: 0 })
        .wrote(722, 0, 2),
    );
  expect(overran([2, 1])).toMatch(/^invalid; overrun /);
  expect(overran([1, 2])).toMatch(/^invalid; foreign-release /);
});

it("says how many updates were lost", () => {
  const recording = new Recording()
    .audit(1, 1, "x", { basedOn: 0 })
    .audit(2, 2, "y", { basedOn: 1 })
    .audit(3, 3, "z", { basedOn: 0 });
  const [violation] = violationsOf("lost-updates", recording);
  expect(violation?.explanation).toContain("it overwrote 2 updates that its author never saw, the last of them y");
  const one = new Recording().audit(1, 1, "x", { basedOn: 0 }).audit(2, 2, "z", { basedOn: 0 });
  expect(violationsOf("lost-updates", one)[0]?.explanation).toContain(
    "it overwrote 1 update that its author never saw, x of owner",
  );
});

it("says of a late write only what is known of it", () => {
  /** Client 1 writes within its lease; the other write, at 330 ms, is based on what came before. */
  const told = (owner: string, ttlMs: number, wroteMs = 332): string => {
    const recording = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { ttlMs })
      .acquire(310, 1, "b")
      .write(320, 1, "b", "x", { basedOn: 0 })
      .audit(321, 1, "x", { owner: "b", basedOn: 0 })
      .wrote(322, 1, 1)
      .write(330, 0, owner, "y", { basedOn: 0 })
      .audit(331, 2, "y", { owner, basedOn: 0 })
      .wrote(wroteMs, 0, 2);
    return violationsOf("lost-updates", recording)[0]?.explanation ?? "";
  };
  expect(told("a", 300)).toContain("Write y came from a client whose lease was over.");
  expect(told("unknown", 300)).toContain("Write y came from a client that did not hold the lock then.");
});

it("does not call a write late whose author held until after it was sent", () => {
  const recording = new Recording({ clients: 2 })
    .acquire(0, 0, "a", { ttlMs: 300 })
    .write(299, 0, "a", "y", { basedOn: 0 })
    .acquire(310, 1, "b")
    .write(320, 1, "b", "x", { basedOn: 0 })
    .audit(321, 1, "x", { owner: "b", basedOn: 0 })
    .wrote(322, 1, 1)
    .audit(331, 2, "y", { owner: "a", basedOn: 0 })
    .wrote(332, 0, 2);
  expect(violationsOf("lost-updates", recording)[0]?.explanation).toContain(
    "Write y was under way when the lease of its author ended.",
  );
});

describe("a write of a client whose lease may be over", () => {
  /** Client 0 may have waited for its lease, or asked to shorten it. Its write y, at 330 ms, comes after that of client 1. */
  const told = (begin: (recording: Recording) => Recording): string => {
    const recording = begin(new Recording({ clients: 2 }))
      .seek(309, 1)
      .granted(310, 1, "b")
      .write(320, 1, "b", "x", { basedOn: 0 })
      .audit(321, 1, "x", { owner: "b", basedOn: 0 })
      .wrote(322, 1, 1)
      .write(330, 0, "a", "y", { basedOn: 0 })
      .audit(331, 2, "y", { owner: "a", basedOn: 0 })
      .wrote(332, 0, 2);
    return violationsOf("lost-updates", recording)[0]?.explanation ?? "";
  };
  const doubt = (endMs: number): string =>
    `The lease of client-0 may have ended as early as ${endMs} ms, before it wrote y. Probably: write y came from a client whose lease was over.`;

  it("is only probably late where the lock may have waited before it began the lease", () => {
    const waited = told((recording) => recording.seek(0, 0, { ttlMs: 300, waitMs: 500 }).granted(200, 0, "a"));
    expect(waited).toContain(doubt(300));
    expect(told((recording) => recording.seek(0, 0, { ttlMs: 300, waitMs: 500 }).granted(20, 0, "a"))).toContain(
      "Write y came from a client whose lease was over.",
    );
  });

  it("is only probably late where a request of unknown outcome may have ended the lease", () => {
    const cut = told((recording) =>
      recording.acquire(0, 0, "a", { ttlMs: 900 }).seekExtension(100, 0, "a", 150).info(110, 0, "extend"),
    );
    expect(cut).toContain(doubt(250));
  });
});

describe("advice about a late write", () => {
  /** Both write what nobody wrote before them; the late write, of client 0, comes first or last. */
  const told = (order: readonly ["a", "b"] | readonly ["b", "a"], fences: readonly number[] = []): string => {
    const recording = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 300 }).acquire(310, 1, "b");
    for (const [place, owner] of order.entries()) {
      const [process, fence] = [owner === "a" ? 0 : 1, fences[place]];
      const details = { basedOn: 0, ...(fence === undefined ? {} : { fence }) };
      recording
        .write(320 + 10 * place, process, owner, owner, details)
        .audit(321 + 10 * place, place + 1, owner, { owner, ...details })
        .wrote(322 + 10 * place, process, place + 1);
    }
    return violationsOf("lost-updates", recording)[0]?.explanation ?? "";
  };
  const [timer, resource] = ["A timer in the client", "A resource that checks fencing tokens"];

  it("names no timer for a write that was under way when the lease ended", () => {
    const caught = (begunMs: number): string => {
      const recording = new Recording({ clients: 2 })
        .acquire(0, 0, "a", { ttlMs: 300 })
        .write(begunMs, 0, "a", "x", { basedOn: 0, fence: 1 })
        .acquire(310, 1, "b")
        .audit(320, 1, "x", { owner: "a", basedOn: 0, fence: 1 })
        .wrote(321, 0, 1)
        .write(330, 1, "b", "y", { basedOn: 0, fence: 2 })
        .audit(331, 2, "y", { owner: "b", basedOn: 0, fence: 2 })
        .wrote(332, 1, 2);
      return violationsOf("lost-updates", recording)[0]?.explanation ?? "";
    };
    expect(caught(290)).toContain("Write x was under way when the lease of its author ended");
    expect(caught(290)).not.toContain(timer);
    expect(caught(305)).toContain(timer);
  });

  it("names a resource that checks fencing tokens only if that would have refused the late write", () => {
    expect(told(["b", "a"])).toContain(resource);
    expect(told(["a", "b"])).toContain(timer);
    expect(told(["a", "b"], [1, 2])).toContain(`the resource could not tell`);
    expect(told(["a", "b"], [1, 2])).toContain(timer);
    expect(told(["a", "b"], [1, 2])).not.toContain(resource);
  });
});

it("counts a write as acknowledged whose place among others a coarse clock leaves open", () => {
  const history = (data: string): Recording =>
    new Recording({ clients: 2 })
      .acquire(10, 0, "a")
      .write(200, 0, "a", "d1", { basedOn: 0 })
      .wrote(200, 0, 1)
      .read(200, 1, 1)
      .read(200, 1, 1)
      .leave(200, 0, "a")
      .left(210, 0)
      .audit(500, 1, data, { owner: "a", basedOn: 0 });
  const judged = (data: string): unknown =>
    checkHistory(coarse(history(data)), { foreign: true }).properties["lost-updates"]?.verdict;
  expect([judged("d1"), judged("d2")]).toEqual(["valid", "invalid"]);
});

/** The same times, rounded down to 10 ms. */
function coarse({ history }: Recording): Recording["history"] {
  const step = 10_000_000;
  return {
    ...history,
    events: history.events.map((event) => ({ ...event, time: Math.floor(event.time / step) * step })),
  };
}

it("blames a write of unknown outcome that may have been on its way after its author had released the lock", () => {
  const written = (known: boolean): Recording => {
    const first = new Recording({ clients: 2 }).acquire(0, 0, "a").write(10, 0, "a", "w1", { basedOn: 0 });
    const ended = known ? first.wrote(11, 0, 1).release(20, 0, "a") : first.info(11, 0, "write").release(20, 2, "a");
    const second = ended
      .acquire(30, 1, "b")
      .write(40, 1, "b", "w2", { basedOn: 0 })
      .wrote(50, 1, 2)
      .release(60, 1, "b");
    return second.audit(70, 1, "w1", { owner: "a", basedOn: 0 }).audit(70, 2, "w2", { owner: "b", basedOn: 0 });
  };
  const causeOf = ({ history }: Recording): unknown =>
    checkHistory(history, { foreign: true }).properties["lost-updates"]?.violations?.[0]?.cause;
  expect([causeOf(written(true)), causeOf(written(false))]).toEqual(["stale-read", "overrun"]);
});

it("names what may have taken the lock, too, where it is not certain that a lease was over", () => {
  /** `a` was granted after a wait, with a lease that began at an unknown time; `validForMs` says how long it lasts. */
  const lost = (validForMs?: number): Recording =>
    new Recording({ clients: 2 })
      .seek(0, 0, { ttlMs: 800, waitMs: 1600 })
      .granted(600, 0, "a", validForMs === undefined ? {} : { validForMs })
      .fault(1000, "restart-node", { targets: ["node-0"] })
      .acquire(1100, 1, "b", { ttlMs: 800 })
      .write(1300, 0, "a", "y")
      .audit(1301, 1, "y", { owner: "a" })
      .wrote(1302, 0, 1)
      .write(1400, 1, "b", "z", { basedOn: 0 })
      .audit(1401, 2, "z", { owner: "b", basedOn: 0 })
      .wrote(1402, 1, 2);
  const causes = (recording: Recording): readonly (string | undefined)[] =>
    violationsOf("lost-updates", recording).flatMap(({ hypotheses = [] }) => hypotheses.map(({ cause }) => cause));
  expect(causes(lost())).toEqual(["overrun", "lost-in-restart"]);
  expect(causes(lost(100))).toEqual(["overrun"]);
});
