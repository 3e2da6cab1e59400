import { describe, expect, it } from "vitest";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const exclusion = (recording: Recording): string => judge("mutual-exclusion", recording);
const lease = (recording: Recording): string => judge("lease-exclusion", recording);

/** Two leases of ten seconds, the second granted at 150 ms within the first, with something in between. */
function twice(between: (recording: Recording) => Recording, facts: Record<string, unknown> = {}): Recording {
  const first = new Recording({ clients: 3, ...facts }).acquire(0, 0, "a", { ttlMs: 10_000 });
  return between(first).acquire(150, 1, "b", { ttlMs: 10_000 });
}

const nothing = (recording: Recording): Recording => recording;
const done = (recording: Recording): Recording => recording.release(2000, 1, "b").release(2100, 0, "a", false);

describe("of a lock that gave away what it had promised", () => {
  it("is the lock itself when there was no fault", () => {
    expect(lease(done(twice(nothing)))).toBe("invalid; double-grant 1,3");
  });

  it("is the lock itself when the faults there were take no lease away", () => {
    expect(lease(done(twice((recording) => recording.fault(5, "latency"))))).toBe("invalid; double-grant 1,4");
    expect(lease(done(twice((recording) => recording.fault(5, "latency", { outcome: "skipped" }))))).toBe(
      "invalid; double-grant 1,4",
    );
  });

  it.each([
    ["promotion", "lost-in-failover"],
    ["failover", "lost-in-failover"],
    ["restart-node", "lost-in-restart"],
    ["power-loss", "lost-in-restart"],
    ["kill-node", "lost-in-restart"],
    ["clock-jump", "clock-jump"],
    ["clock-rate", "clock-rate"],
    ["eviction", "eviction"],
  ])("is a %s: %s", (kind, cause) => {
    expect(lease(done(twice((recording) => recording.fault(5, kind))))).toBe(`invalid; ${cause} 1,2,4`);
  });

  it("says that there was no fault only of a run without one", () => {
    const told = (recording: Recording): string =>
      violationsOf("lease-exclusion", done(recording))[0]?.explanation ?? "";
    expect(told(twice(nothing, { backend: "simulated" }))).toContain(
      "There was no fault: the lock itself granted it twice.",
    );
    expect(told(twice(nothing))).toContain(
      "Probably: no fault is recorded: the lock itself granted it twice. This is only probable, because the history may not name every fault of its run, nor every program that changed the key.",
    );
    const later = told(twice(nothing).fault(1200, "restart-node"));
    expect(later).toContain("no fault came in between: the lock itself granted it twice.");
    expect(later).not.toContain("here was no fault");
  });

  it("is a lease that the lock counted from its answer and not from its request", () => {
    /** Asked at 100 ms for a second, answered at 400 ms; the other is granted the lock at 1150 ms. */
    const counted = (validForMs: number, facts: Record<string, unknown> = {}): Recording => {
      const recording = new Recording({ clients: 3, backend: "simulated", ...facts }).acquire(0, 0, "a");
      const extended = recording.seekExtension(100, 0, "a", 1000).extended(400, 0, "a", { validForMs });
      return extended.acquire(1149, 1, "b").release(1300, 0, "a").release(1400, 1, "b");
    };
    expect(lease(counted(700))).toBe("valid");
    const [violation] = violationsOf("lease-exclusion", counted(1000));
    expect(violation).toMatchObject({ cause: "double-grant", proof: { standing: "proven" } });
    expect(violation?.explanation).toContain(
      "client-0 had asked for the extension of its lease at 100 ms, for 1,000 ms: counted from there it ended at 1,100 ms, before client-1 was granted it, but the lock promised it until 1,400 ms.",
    );
    expect(violation?.events).toContain(2);
    // A fault that may have lost the lease comes first, and a lease in force by its request as well needs another cause.
    const lost = new Recording({ clients: 3 }).acquire(0, 0, "a").fault(50, "restart-node");
    const later = lost.seekExtension(100, 0, "a", 1000).extended(400, 0, "a", { validForMs: 1000 });
    expect(lease(later.acquire(1149, 1, "b").release(1300, 0, "a"))).toContain("lost-in-restart");
    const early = new Recording({ clients: 3 }).acquire(0, 0, "a").seekExtension(100, 0, "a", 1000);
    const twiceEarly = early.extended(400, 0, "a", { validForMs: 1000 }).acquire(1000, 1, "b").release(1300, 0, "a");
    expect(violationsOf("lease-exclusion", twiceEarly)[0]?.explanation).toContain("the lock itself granted it twice");
  });

  it("does not advise to sync where the servers sync already", () => {
    const told = (persistence: string): string => {
      const recording = done(twice((it) => it.fault(5, "restart-node"), { persistence }));
      return violationsOf("lease-exclusion", recording)[0]?.explanation ?? "";
    };
    expect(told("everysec")).toContain("A server that syncs to disk before it replies would probably");
    expect(told("always")).not.toContain("syncs to disk");
  });

  it("is a fault before the first answer, when the grant that was answered later may have been made first", () => {
    const crossed = (askedMs: number): Recording =>
      new Recording({ clients: 3 })
        .seek(askedMs, 0, { ttlMs: 10_000 })
        .fault(5, "restart-node")
        .acquire(150, 1, "b", { ttlMs: 10_000 })
        .granted(160, 0, "a");
    expect(lease(done(crossed(0)))).toBe("invalid; lost-in-restart 1,3,4");
    const after = new Recording({ clients: 3 }).fault(5, "restart-node").seek(10, 0, { ttlMs: 10_000 });
    expect(lease(done(after.acquire(150, 1, "b", { ttlMs: 10_000 }).granted(160, 0, "a")))).toBe(
      "invalid; double-grant 3,4",
    );
  });

  it("is no release by one that was granted the lock after the loss, and gave back its own", () => {
    const chain = new Recording({ clients: 3 })
      .acquire(0, 0, "a", { ttlMs: 10_000 })
      .fault(5, "restart-node")
      .acquire(150, 1, "b", { ttlMs: 10_000 })
      .release(160, 1, "b")
      .acquire(170, 2, "c", { ttlMs: 10_000 })
      .release(2000, 2, "c")
      .release(2100, 0, "a", false);
    expect(lease(chain)).toBe("invalid; lost-in-restart 1,2,4; lost-in-restart 1,2,8");
  });

  it("is the most specific of several, and the others are told", () => {
    const recording = done(twice((it) => it.fault(5, "eviction").fault(6, "clock-jump").fault(7, "kill-node")));
    expect(lease(recording)).toBe("invalid; lost-in-restart 1,4,6");
    expect(violationsOf("lease-exclusion", recording)[0]?.explanation).toContain(
      "Other possible causes: clock-jump at 6 ms (event 3) and eviction at 5 ms (event 2)",
    );
  });

  it("is the clock of a promoted node rather than its promotion, if it was stepped before", () => {
    const skewed = (stepped: "before" | "after", node: string): string => {
      const step = (it: Recording, atMs: number): Recording => it.fault(atMs, "clock-jump", { targets: [node] });
      const promote = (it: Recording): Recording => it.fault(6, "promotion", { targets: ["node-1"] });
      return lease(done(twice((it) => (stepped === "before" ? promote(step(it, 5)) : step(promote(it), 7)))));
    };
    expect(skewed("before", "node-1")).toBe("invalid; clock-jump 1,2,5");
    expect(skewed("before", "node-0")).toBe("invalid; lost-in-failover 1,3,5");
    expect(skewed("after", "node-1")).toBe("invalid; lost-in-failover 1,2,5");
  });

  it("is none that was over before, or came long after", () => {
    const before = new Recording().fault(0, "restart-node").acquire(1, 0, "a").acquire(5, 1, "b");
    expect(lease(before)).toBe("invalid; double-grant 2,4");
    expect(lease(done(twice(nothing).fault(1200, "restart-node")))).toBe("invalid; double-grant 1,3");
  });

  it("is one that was recorded a little after its effect", () => {
    expect(lease(done(twice(nothing).fault(400, "restart-node")))).toBe("invalid; lost-in-restart 1,3,4");
  });

  it("is the failover rather than the crash before it, though it was noticed later", () => {
    const recording = done(twice((it) => it.fault(5, "kill-node")).fault(400, "promotion"));
    expect(lease(recording)).toBe("invalid; lost-in-failover 1,4,5");
  });

  describe("that says where it has it", () => {
    const placed = (first: object, second: object, fault = "partition"): string =>
      lease(done(new Recording({ clients: 2 }).fault(0, fault).acquire(1, 0, "a", first).acquire(100, 1, "b", second)));

    it("is that it was in two places, for any fault that kept one of the clients away", () => {
      expect(placed({ place: "node-1" }, { place: "node-4" })).toBe("invalid; double-grant 0,2,4");
      expect(placed({ place: "node-1" }, { place: "node-4" }, "eviction")).toBe("invalid; double-grant 2,4");
    });

    it("is not when it was in one, or when one of them does not say where", () => {
      expect(placed({ place: "node-1" }, { place: "node-1" })).toBe("invalid; double-grant 2,4");
      expect(placed({ place: "node-1" }, {})).toBe("invalid; double-grant 2,4");
      expect(placed({}, { place: "node-1" })).toBe("invalid; double-grant 2,4");
    });
  });

  describe("after a promotion", () => {
    /** The master is cut off, stopped or killed; a replica is promoted; and only then both are granted the lock. */
    const split = (kind: string, between: (it: Recording) => Recording, targets = ["node-0", "client-0"]): string => {
      const before = new Recording({ clients: 3 }).fault(0, kind, { targets });
      const after = between(before.fault(500, "promotion", { targets: ["node-1"] }));
      return lease(
        after
          .acquire(40_000, 0, "a", { ttlMs: 10_000 })
          .acquire(40_150, 1, "b", { ttlMs: 10_000 })
          .release(42_000, 1, "b")
          .release(42_100, 0, "a", false),
      );
    };
    const healed =
      (kind: string, atMs: number, targets = ["node-0", "client-0"]) =>
      (it: Recording) =>
        it.fault(atMs, kind, { phase: "heal", targets });

    it.each(["partition", "stall", "latency"])("is the second master that a %s leaves", (kind) => {
      expect(split(kind, nothing)).toBe("invalid; lost-in-failover 0,1,3,5");
      expect(split(kind, healed(kind, 12_000))).toBe("invalid; lost-in-failover 0,1,4,6");
      expect(split(kind, healed(kind, 9000))).toBe("invalid; double-grant 4,6");
    });

    it.each(["pause-node", "kill-node"])("is the old master that comes back from a %s", (kind) => {
      expect(split(kind, healed(kind, 12_000))).toBe("invalid; lost-in-failover 0,1,4,6");
      expect(split(kind, healed(kind, 9000))).not.toContain("lost-in-failover");
      expect(split(kind, nothing)).not.toContain("lost-in-failover");
    });

    it("is the old master that an operator's failover left as it was", () => {
      const split = (grantedMs: number): string => {
        const recording = new Recording({ clients: 3 })
          .fault(0, "failover", { targets: ["node-0"] })
          .fault(500, "promotion", { targets: ["node-1"] })
          .acquire(grantedMs, 0, "a", { ttlMs: 10_000 })
          .acquire(grantedMs + 150, 1, "b", { ttlMs: 10_000 });
        return lease(recording.release(grantedMs + 900, 1, "b").release(grantedMs + 990, 0, "a", false));
      };
      expect(split(700)).toBe("invalid; lost-in-failover 0,1,3,5");
      expect(split(40_000)).toBe("invalid; double-grant 3,5");
    });

    it("is so too when the promotion was seen in the very instant of the first request", () => {
      const recording = new Recording({ clients: 3 })
        .fault(0, "partition", { targets: ["node-0"] })
        .fault(700, "promotion", { targets: ["node-1"] })
        .acquire(700, 0, "a", { ttlMs: 10_000 });
      expect(lease(done(recording.acquire(900, 1, "b")))).toBe("invalid; lost-in-failover 0,1,3,5");
    });

    it("is none that hit the promoted node alone, came later, or was skipped", () => {
      expect(split("partition", nothing, ["node-1", "client-0"])).toBe("invalid; double-grant 3,5");
      const late = new Recording()
        .fault(500, "promotion", { targets: ["node-1"] })
        .fault(600, "partition", { targets: ["node-0"] });
      expect(lease(done(late.acquire(700, 0, "a", { ttlMs: 10_000 }).acquire(750, 1, "b")))).toBe(
        "invalid; double-grant 3,5",
      );
      const skipped = new Recording().fault(0, "partition", { targets: ["node-0"], outcome: "skipped" });
      const promoted = skipped.fault(500, "promotion", { targets: ["node-1"] });
      expect(lease(done(promoted.acquire(700, 0, "a", { ttlMs: 10_000 }).acquire(750, 1, "b")))).toBe(
        "invalid; double-grant 3,5",
      );
    });

    it("yields to a failover between the grants, and not to other faults there", () => {
      const begun = (): Recording =>
        new Recording({ clients: 3 })
          .fault(0, "partition", { targets: ["node-0"] })
          .fault(500, "promotion", { targets: ["node-1"] })
          .acquire(700, 0, "a", { ttlMs: 10_000 });
      const ended = (it: Recording): string => lease(done(it.acquire(900, 1, "b", { ttlMs: 10_000 })));
      expect(ended(begun().fault(800, "promotion", { targets: ["node-2"] }))).toBe("invalid; lost-in-failover 3,4,6");
      expect(ended(begun().fault(800, "clock-jump", { targets: ["node-2"] }))).toBe(
        "invalid; lost-in-failover 0,1,3,6",
      );
    });

    it("does not call an extension foreign that may be the old master's", () => {
      const recording = new Recording({ clients: 3 })
        .fault(0, "partition", { targets: ["node-0"] })
        .fault(500, "promotion", { targets: ["node-1"] })
        .acquire(700, 0, "a", { ttlMs: 100 })
        .acquire(850, 1, "b", { ttlMs: 10_000 })
        .seekExtension(900, 0, "a", 10_000)
        .extended(901, 0, "a");
      expect(lease(recording.release(2000, 1, "b").release(2100, 0, "a"))).toMatch(/^invalid; lost-in-failover 0,1,/);
    });
  });

  it("is no crash of a node that syncs before it answers", () => {
    const recording = twice((it) => it.fault(5, "kill-node"), { persistence: "always" });
    expect(lease(done(recording))).toBe("invalid; double-grant 1,4");
    const wiped = twice((it) => it.fault(5, "restart-node"), { persistence: "always" });
    expect(lease(done(wiped))).toBe("invalid; lost-in-restart 1,2,4");
  });
});

describe("of a lock that was taken from its holder", () => {
  /** `z` outlives its lease of 100 ms; `a` holds then; `b` is granted it too. */
  const robbed = (): Recording => new Recording({ clients: 3 }).acquire(0, 2, "z", { ttlMs: 100 }).acquire(150, 0, "a");

  it("is a release that lies within its hold, regardless of the faults", () => {
    const recording = robbed().fault(160, "restart-node").release(170, 2, "z").acquire(180, 1, "b");
    expect(lease(recording)).toBe("invalid; foreign-release 3,5,6,8");
  });

  it("is a release that was under way when it was granted", () => {
    const recording = new Recording({ clients: 3 })
      .acquire(0, 2, "z", { ttlMs: 100 })
      .leave(90, 2, "z")
      .acquire(150, 0, "a")
      .left(170, 2)
      .acquire(180, 1, "b");
    expect(lease(recording)).toBe("invalid; foreign-release 2,4,5,7");
  });

  it("is none that ended its owner's own lease", () => {
    const recording = new Recording({ clients: 3 })
      .acquire(0, 2, "z", { ttlMs: 9000 })
      .leave(90, 2, "z")
      .acquire(150, 0, "a")
      .left(170, 2)
      .acquire(180, 1, "b");
    expect(lease(recording)).toBe("invalid; double-grant 4,7");
  });

  it("is none that found nothing, or came after", () => {
    expect(lease(robbed().release(170, 2, "z", false).acquire(180, 1, "b"))).toBe("invalid; double-grant 3,7");
    expect(lease(robbed().acquire(180, 1, "b").release(190, 2, "z"))).toBe("invalid; double-grant 3,5");
  });

  it("is none that may have ended its owner's own lease, granted at the same time", () => {
    /** Both acquires run at the same time, and both are granted. */
    const both = (): Recording =>
      new Recording({ clients: 3 }).seek(0, 0).seek(0, 2).granted(1, 2, "z").granted(2, 0, "a");
    const again = (recording: Recording): Recording => recording.release(170, 2, "z").acquire(180, 1, "b");
    expect(lease(again(both()))).toBe("invalid; double-grant 2,3; double-grant 3,7");
    const jumped = new Recording({ clients: 3 }).seek(0, 0).seek(0, 2).fault(0.5, "clock-jump");
    const lost = again(jumped.granted(1, 2, "z").granted(2, 0, "a"));
    expect(lease(lost)).toBe("invalid; clock-jump 2,3,4; clock-jump 2,4,8");
    // On the replaced master its owner holds a lock of its own.
    const split = new Recording({ clients: 3 }).acquire(0, 2, "z").fault(40, "partition", { targets: ["node-0"] });
    const promoted = split.fault(50, "promotion", { targets: ["node-1"] }).acquire(100, 0, "a");
    expect(lease(again(promoted))).toBe("invalid; lost-in-failover 1,3,5; lost-in-failover 2,3,5,9");
  });

  it("is none by one that was granted the lock after the loss, and gave back its own after the lease that it was told", () => {
    const late = (it: Recording): Recording =>
      it.granted(150, 1, "b", { validForMs: 10 }).release(170, 1, "b").acquire(180, 2, "c");
    const asked = (): Recording => new Recording({ clients: 3 }).acquire(0, 0, "a", { ttlMs: 900 }).seek(1, 1);
    const lost = asked().fault(5, "restart-node").granted(150, 1, "b", { validForMs: 10 }).lost(155, 1, "b");
    expect(lease(lost.release(165, 1, "b").acquire(180, 2, "c"))).toContain("; lost-in-restart 1,3,9");
    expect(lease(late(asked().fault(5, "restart-node")))).toContain("; lost-in-restart 1,3,8");
    expect(lease(late(asked()))).toContain("; foreign-release 1,4,5,7");
    const told = asked().granted(150, 1, "b", { validForMs: 900 }).lost(155, 1, "b").release(165, 1, "b");
    expect(lease(told.acquire(180, 2, "c"))).toContain("; foreign-release 1,5,6,8");
  });

  it("is a release of unknown outcome, unless a fault explains it", () => {
    const late = (): Recording => robbed().leave(160, 2, "z").info(170, 2, "release");
    expect(lease(late().acquire(180, 1, "b"))).toBe("invalid; foreign-release 3,4,5,7");
    expect(lease(late().fault(175, "restart-node").acquire(180, 1, "b"))).toBe("invalid; lost-in-restart 3,6,8");
  });

  it("is an extension of a lease that had gone to another", () => {
    const extended = robbed().extend(200, 2, "z", { ttlMs: 1000 });
    expect(lease(extended)).toBe("invalid; foreign-release 1,3,5");
    expect(exclusion(extended)).toBe("invalid; foreign-release 1,3,5");
  });

  it("is no such extension where there may be two masters", () => {
    const recording = new Recording({ clients: 3 })
      .acquire(0, 2, "z", { ttlMs: 100 })
      .fault(50, "promotion")
      .acquire(150, 0, "a")
      .extend(200, 2, "z", { ttlMs: 1000 });
    expect(lease(recording)).toBe("invalid; lost-in-failover 1,2,4,6");
    const before = new Recording({ clients: 3 })
      .fault(0, "promotion")
      .acquire(1, 2, "z", { ttlMs: 100 })
      .acquire(150, 0, "a")
      .extend(200, 2, "z", { ttlMs: 1000 });
    expect(lease(before)).toBe("invalid; foreign-release 2,4,6");
  });
});

it("two leases are one violation, however often they are extended", () => {
  const permit = { limit: 2 };
  const permits = new Recording({ clients: 3 }).acquire(0, 0, "a", permit).acquire(5, 1, "b", permit);
  expect(lease(permits.acquire(10, 2, "c", permit).extend(20, 1, "b").extend(30, 0, "a"))).toBe(
    "invalid; double-grant 1,3,5",
  );
  const recording = new Recording().acquire(0, 0, "a").acquire(5, 1, "b").extend(10, 0, "a").extend(20, 1, "b");
  expect(lease(recording)).toBe("invalid; double-grant 1,3");
});

it("an overlap lasts until the first of the two ends", () => {
  const overlapMs = (recording: Recording): readonly unknown[] =>
    violationsOf("mutual-exclusion", recording).map(({ overlap }) => [overlap!.from / 1e6, overlap!.to / 1e6]);
  expect(
    overlapMs(new Recording().acquire(0, 0, "a").acquire(5, 1, "b").release(10, 0, "a").release(20, 1, "b")),
  ).toEqual([[6, 10]]);
  expect(
    overlapMs(new Recording().acquire(0, 0, "a").acquire(5, 1, "b").release(10, 1, "b").release(20, 0, "a")),
  ).toEqual([[6, 10]]);
});
