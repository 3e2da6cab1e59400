import { describe, expect, it } from "vitest";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** Client 0 is granted a lease of a second; client 1 is granted the same lock at 1200 ms, while client 0 works on. */
function granted(between: (it: Recording) => Recording): Recording {
  const held = between(new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a", { ttlMs: 1000 }));
  return held.acquire(1200, 1, "b", { ttlMs: 1000 }).release(1300, 0, "a", false).release(1400, 1, "b");
}

const lease = (recording: Recording): string => judge("lease-exclusion", recording);
const linearizable = (recording: Recording): string => judge("linearizability", recording).split(" ", 2).join(" ");

describe("a lease that the lock renews by itself", () => {
  it("is in force until its new end, for P2 and for P8", () => {
    expect(lease(granted((it) => it))).toBe("valid");
    const renewed = granted((it) => it.renewed(600, 0, "a", 1000));
    expect(lease(renewed)).toBe("invalid; double-grant 1,4");
    expect(linearizable(renewed)).toBe("invalid; double-grant");
    expect(judge("mutual-exclusion", renewed)).toBe("invalid; double-grant 1,4");
  });

  it("counts from when its client had the report, not from when it could tell", () => {
    expect(lease(granted((it) => it.renewed(600, 0, "a", 1000, 190)))).toBe("valid");
    expect(linearizable(granted((it) => it.renewed(600, 0, "a", 1000, 190)))).toBe("valid");
  });

  it("may be shorter than the lease before: no more is promised from then on", () => {
    const long = (renews: boolean): Recording =>
      granted((it) => {
        const extended = it.extend(500, 0, "a", { ttlMs: 5000 });
        return renews ? extended.renewed(600, 0, "a", 100) : extended;
      });
    for (const judged of [lease, linearizable]) {
      expect(judged(long(true))).toBe("valid");
      expect(judged(long(false))).toMatch(/^invalid; double-grant/);
    }
  });

  it("may be shorter since before its client was told of a longer one", () => {
    const told = (validForMs: number, renewedAtMs = 120): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .acquire(0, 0, "a")
        .seekExtension(110, 0, "a", 1000)
        .extended(150, 0, "a")
        .renewed(160, 0, "a", validForMs, renewedAtMs)
        .acquire(300, 1, "b");
    for (const judged of [lease, linearizable]) {
      expect(judged(told(300))).toMatch(/^invalid; double-grant/);
      expect(judged(told(100))).toBe("valid");
      // Nor is anything promised if it was over when its client was told.
      expect(judged(told(30))).toBe("valid");
      expect(judged(told(5, 151))).toBe("valid");
    }
  });

  it("may have been cut by an extension that its client was told of before", () => {
    const told = (ttlMs: number): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .acquire(0, 0, "a")
        .seekExtension(110, 0, "a", ttlMs)
        .extended(150, 0, "a")
        .renewed(160, 0, "a", 1000, 120)
        .acquire(300, 1, "b");
    for (const judged of [lease, linearizable]) {
      expect(judged(told(100))).toBe("valid");
      expect(judged(told(300))).toMatch(/^invalid; double-grant/);
    }
  });

  it("was perhaps renewed before the end of an extension, and is not shown to be in force then", () => {
    const released = new Recording({ clients: 3, backend: "simulated" })
      .acquire(0, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .leave(40, 2, "a")
      .seek(47, 1)
      .granted(49, 1, "b")
      .extended(50, 0, "a")
      .renewed(60, 0, "a", 300, 20)
      .info(70, 2, "release");
    expect(lease(released)).toBe("valid");
    expect(linearizable(released)).toBe("valid");
  });

  it("is not made again once it was given up", () => {
    const late = new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 1000 })
      .release(500, 0, "a")
      .renewed(550, 0, "a", 1000)
      .acquire(600, 1, "b")
      .release(700, 1, "b");
    expect(lease(late)).toBe("valid");
    expect(linearizable(late)).toBe("valid");
  });

  it("that nobody outlives is no overrun when it is over and another is granted the lock", () => {
    const handed = new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 1000 })
      .renewed(600, 0, "a", 1000)
      .release(1500, 0, "a")
      .acquire(1550, 1, "b")
      .release(1600, 1, "b");
    expect(judge("mutual-exclusion", handed)).toBe("valid");
    expect(lease(handed)).toBe("valid");
    expect(linearizable(handed)).toBe("valid");
  });

  it("may be renewed before an acquire of unknown outcome enters it again, with its own TTL", () => {
    const entered = (ttlMs: number): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .seek(0, 0, { ttlMs })
        .info(5, 0, "acquire")
        .acquire(10, 2, "a", { ttlMs: 400 })
        .renewed(300, 2, "a", 1000)
        .acquire(500, 1, "b", { ttlMs: 400 });
    expect([lease(entered(200)), linearizable(entered(200))]).toEqual(["valid", "valid"]);
    expect(lease(entered(800))).toMatch(/^invalid; double-grant/);
    expect(linearizable(entered(800))).toBe("invalid; double-grant");
  });

  it("may be one that an acquire of unknown outcome began", () => {
    const begun = (process: number): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs: 20 })
        .acquire(40, 1, "b", { ttlMs: 20 })
        .seek(45, process)
        .info(48, process, "acquire")
        .renewed(100, 0, "a", 20);
    expect(linearizable(begun(2))).toBe("valid");
    expect(linearizable(begun(3))).toMatch(/^invalid/);
    // No grant shows whose hold this is: the notice shows that its lease may be shorter now.
    const shown = (renews: boolean): Recording => {
      const extended = new Recording({ clients: 2, backend: "simulated" })
        .seek(0, 0)
        .info(5, 0, "acquire")
        .extend(10, 2, "a", { ttlMs: 400 });
      return (renews ? extended.renewed(20, 2, "a", 20) : extended).release(100, 2, "a", false);
    };
    expect(linearizable(shown(true))).toBe("valid");
    expect(linearizable(shown(false))).toMatch(/^invalid/);
  });

  it("counts where the order of fencing tokens is judged", () => {
    const held = (validForMs: number): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs: 130, fence: 1 })
        .seek(60, 1)
        .info(61, 1, "acquire")
        .seek(120, 0, { ttlMs: 410 })
        .leave(140, 3, "b")
        .info(200, 3, "release")
        .seek(260, 5, { ttlMs: 130 })
        .granted(280, 0, "a", { fence: 1 })
        .renewed(300, 0, "a", validForMs)
        .granted(420, 5, "b", { fence: 2 });
    expect(judge("fencing-tokens", held(40))).toBe("valid");
  });

  it("may be that of a new hold, which an acquire of unknown outcome began, if it is renewed when the old lease may be over", () => {
    const reentered = (renewedAtMs: number, isAnswered: boolean): string => {
      const asked = new Recording({ clients: 2, backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs: 100, fence: 1 })
        .seek(20, 0, { ttlMs: 1000 });
      const open = isAnswered ? asked.info(30, 0, "acquire") : asked;
      return judge("fencing-tokens", open.renewed(renewedAtMs, 2, "a", 1000).acquire(250, 2, "a", { fence: 2 }));
    };
    for (const isAnswered of [true, false]) {
      expect(reentered(200, isAnswered)).toBe("valid");
      expect(reentered(90, isAnswered)).toMatch(/^invalid; token-rollback/);
    }
  });
});

it("takes a renewal that is told after another grant, where a late extension ended the renewed lease before it", () => {
  const recording = (untilMs: number): Recording =>
    new Recording({ clients: 2 })
      .seek(1, 1, { ttlMs: 20 })
      .granted(1, 1, "a", { fence: 1 })
      .seekExtension(2, 1, "a", 20)
      .info(2, 1, "extend")
      .seek(untilMs, 0, { ttlMs: 20 })
      .granted(untilMs + 1, 0, "b", { fence: 2 })
      .renewed(untilMs + 2, 3, "a", 400, 3);
  expect(judge("linearizability", recording(38))).toBe("valid");
  expect(judge("linearizability", recording(10))).toMatch(/^invalid/);
});

it("may be shorter since a renewal of a hold from before the history, which its client has entered once more and left", () => {
  const entered = (renews: (recording: Recording) => Recording): string =>
    linearizable(
      renews(
        new Recording({ clients: 2, topology: "single" })
          .acquire(2, 0, "a")
          .release(4, 0, "a")
          .extend(6, 0, "a", { ttlMs: 400 }),
      ).acquire(60, 1, "b"),
    );
  expect(entered((it) => it)).toMatch(/^invalid/);
  expect(entered((it) => it.renewed(8, 0, "a", 20))).toBe("valid");
  expect(entered((it) => it.renewed(28, 0, "a", 20, 8))).toBe("valid");
});

describe("a lock that renews a lease after the hold has ended", () => {
  const stuck = (between: (it: Recording) => Recording): string => {
    const held = new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a").leave(500, 0, "a");
    const [violation] = violationsOf("deadlock-freedom", between(held.info(510, 0, "release")).fail(6000, 1));
    return `${violation?.explanation} ${violation?.events.join(" ")}`;
  };
  const renewing = "the lock went on renewing the lease of client-0 after the end of its hold, last at 5,000 ms";

  it("is stuck because it goes on, and not for an unknown reason", () => {
    const told = stuck((it) => it.renewed(900, 0, "a", 1000).renewed(5000, 0, "a", 1000));
    expect(told.toLowerCase()).toContain(renewing);
    expect(told).not.toContain("by itself");
    expect(told).toContain(" 5 ");
  });

  it("is said to have gone on for as long as it had when the client was refused", () => {
    const held = new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a").leave(500, 0, "a");
    const refused = held.info(510, 0, "release").renewed(5000, 0, "a", 1000).fail(6000, 1).renewed(7000, 0, "a", 1000);
    const [violation] = violationsOf("deadlock-freedom", refused);
    expect(violation?.explanation.toLowerCase()).toContain(renewing);
    expect(violation?.events).not.toContain(7);
  });

  it("is not said to be so where somebody else's lease is renewed, or before the last hold", () => {
    expect(stuck((it) => it.renewed(900, 0, "x", 1000))).toContain("had not become free by itself");
    const again = stuck((it) =>
      it.renewed(900, 0, "a", 1000).acquire(1000, 1, "b").leave(1100, 1, "b").info(1110, 1, "release"),
    );
    expect(again).toContain("had not become free by itself");
    const early = stuck((it) =>
      it.acquire(600, 1, "b").renewed(900, 1, "b", 1000).leave(1100, 1, "b").info(1110, 1, "release"),
    );
    expect(early).toContain("had not become free by itself");
  });
});
