import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const exclusion = (recording: Recording): string => judge("mutual-exclusion", recording);
const lease = (recording: Recording): string => judge("lease-exclusion", recording);
const nothing = (recording: Recording): Recording => recording;

describe("of a client that outlived its lease", () => {
  const overrun = (between: (recording: Recording) => Recording): Recording =>
    between(new Recording({ clients: 3 }).acquire(0, 0, "a", { ttlMs: 100 }))
      .acquire(150, 1, "b")
      .release(200, 0, "a", false);

  it("is an overrun, and no fault of the lock", () => {
    expect(exclusion(overrun(nothing))).toBe("invalid; overrun 1,3");
    expect(lease(overrun(nothing))).toBe("valid");
  });

  it("names the pause of that client, not of another", () => {
    const paused = (process: number): Recording =>
      overrun((recording) => recording.fault(20, "pause-client", { processes: [process] }));
    expect(exclusion(paused(0))).toBe("invalid; overrun 1,2,4");
    expect(exclusion(paused(1))).toBe("invalid; overrun 1,4");
  });

  it("names the pause rather than what else happened, and else a partition", () => {
    const both = overrun((it) => it.fault(15, "partition").fault(20, "pause-client", { processes: [0] }));
    expect(exclusion(both)).toBe("invalid; overrun 1,3,5");
    expect(exclusion(overrun((it) => it.fault(15, "partition")))).toBe("invalid; overrun 1,2,4");
  });

  it("may be because of a fault that lockstorm does not know, if that hit the client", () => {
    const hit = (client: number): string => {
      const details = { targets: [`client-${client}`], processes: [client] };
      const [found] = violationsOf(
        "mutual-exclusion",
        overrun((it) => it.fault(20, "gc-pause", details)),
      );
      return found?.explanation ?? "";
    };
    expect(hit(0)).toContain(
      "Probably: gc-pause at 20 ms (event 2) hit client-0, which may have been unable to notice.",
    );
    expect(hit(1)).toContain("client-0 held longer than its lease.");
  });

  it("names a write that was under way when its lease ended, and no timer, which would not have stopped it", () => {
    const told = (write: (recording: Recording) => Recording): string => {
      const begun = write(new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 100, validForMs: 99 }));
      return violationsOf("mutual-exclusion", begun.release(200, 0, "a", false))[0]?.explanation ?? "";
    };
    const timer = "A timer in the client that stops its work when the lease ends would probably have prevented this.";
    const caught = told((it) => it.write(90, 0, "a", "x").acquire(150, 1, "b").wrote(180, 0, 1));
    expect(caught).toMatch(
      /client-0 had outlived its lease by 51 ms then\. Its write x was under way when its lease ended\./,
    );
    expect(caught).not.toContain(timer);
    const later = told((it) => it.write(105, 0, "a", "x").acquire(150, 1, "b").wrote(180, 0, 1));
    expect(later).toContain(`client-0 held longer than its lease. ${timer}`);
    expect(told((it) => it.write(90, 0, "a", "x").wrote(140, 0, 1).acquire(150, 1, "b"))).toContain(timer);
    const both = told((it) => it.write(90, 0, "a", "x").acquire(150, 1, "b").wrote(160, 0, 1).write(170, 0, "a", "y"));
    expect(both).toContain(timer);
  });

  it("stays an overrun regardless of the servers suffered", () => {
    expect(exclusion(overrun((it) => it.fault(15, "restart-node")))).toBe("invalid; overrun 1,4");
  });
});

describe("of a lock that may have waited and reports no validity", () => {
  it("is not said to be over on arrival where the acquire does not say whether it waits", () => {
    const { history } = new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs: 100 })
      .granted(400, 0, "a")
      .acquire(430, 1, "b")
      .release(900, 0, "a", false);
    const silent = history.events.map((event) => {
      if (event.type !== "invoke" || event.f !== "acquire") return event;
      const { waitMs: _, ...value } = event.value;
      return { ...event, value };
    });
    const told = (events: typeof history.events): string =>
      checkHistory({ ...history, events }).properties["mutual-exclusion"]?.violations[0]?.explanation ?? "";
    expect(told(history.events)).toContain("its lease was already over");
    expect(told(silent)).not.toContain("already over");
    expect(told(silent)).toContain("may have ended as early as 100 ms");
  });

  const waited = (grantMs: number, between: (recording: Recording) => Recording): Recording =>
    between(new Recording({ clients: 3 }).seek(0, 0, { ttlMs: 100, waitMs: 500 }).granted(400, 0, "a"))
      .acquire(grantMs, 1, "b")
      .release(900, 0, "a", false);

  it("is an overrun once the lease must be over", () => {
    expect(exclusion(waited(500, (it) => it.fault(410, "restart-node")))).toBe("invalid; overrun 1,4");
  });

  it("may be a fault before that", () => {
    expect(exclusion(waited(430, (it) => it.fault(410, "restart-node")))).toBe("invalid; lost-in-restart 1,2,4");
    expect(exclusion(waited(430, nothing))).toBe("invalid; overrun 1,3");
  });

  const late = (between: (recording: Recording) => Recording): Recording =>
    between(new Recording({ clients: 3 }).seek(0, 0, { ttlMs: 100, waitMs: 500 }).acquire(150, 1, "b"))
      .granted(300, 0, "a")
      .release(400, 1, "b");

  it("may have granted in time, and the grant may have come late", () => {
    expect(exclusion(late(nothing))).toBe("invalid; overrun 0,2,3");
    expect(lease(late(nothing))).toBe("valid");
  });

  it("names the pause that may have held the grant up, and not that of another client", () => {
    const paused = (process: number): Recording =>
      late((recording) => recording.fault(160, "pause-client", { processes: [process] }));
    expect(exclusion(paused(0))).toBe("invalid; overrun 0,2,3,4");
    expect(exclusion(paused(1))).toBe("invalid; overrun 0,2,4");
  });

  it("has granted twice where no grant can have been late", () => {
    const twice = new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs: 1000, waitMs: 500 })
      .acquire(150, 1, "b")
      .granted(300, 0, "a")
      .release(400, 1, "b");
    expect(exclusion(twice)).toBe("invalid; double-grant 2,3");
  });

  it("names no release as the cause that nobody saw carried out, and one that was", () => {
    // The lease of client-0 may have been over at 400 ms already, and is at 500 ms.
    const released = (answer: (recording: Recording) => Recording): string =>
      exclusion(
        answer(
          new Recording({ clients: 3 })
            .acquire(0, 2, "c", { ttlMs: 100 })
            .seek(300, 0, { ttlMs: 100, waitMs: 500 })
            .granted(400, 0, "a")
            .leave(405, 2, "c"),
        )
          .acquire(430, 1, "b")
          .release(900, 0, "a", false),
      );
    expect(released((it) => it.left(410, 2))).toBe("invalid; overrun 1,3; foreign-release 3,4,5,7");
    expect(released((it) => it.info(410, 2, "release"))).toBe("invalid; overrun 1,3; overrun 3,7");
    expect(released(nothing)).toBe("invalid; overrun 1,3; overrun 3,6");
  });

  it("names last a release by one that was granted the lock in the first hold: that grant shows that the lease may have been over", () => {
    const released = new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs: 300, waitMs: 5000 })
      .granted(200, 0, "a")
      .acquire(310, 2, "c", { ttlMs: 50 })
      .release(390, 2, "c")
      .acquire(400, 1, "b")
      .leave(900, 0, "a")
      .left(901, 0, false);
    const [, second] = violationsOf("mutual-exclusion", released);
    expect(second?.hypotheses?.map(({ cause, why }) => [cause, why])).toEqual([
      ["overrun", "client-0 held longer than its lease"],
      ["foreign-release", expect.stringContaining("a release by client-2")],
    ]);
  });

  describe("and whose clients both waited", () => {
    // client-0 was granted the lock at once and heard of it when the stall was over; client-1 held it from 480 on.
    const seeks = { ttlMs: 400, waitMs: 2000 };
    const both = (): Recording =>
      new Recording({ clients: 3 })
        .seek(0, 0, seeks)
        .fault(1, "stall", { processes: [0], targets: ["client-0", "node-0"] })
        .seek(8, 1, seeks)
        .granted(480, 1, "b")
        .granted(510, 0, "a");

    it("names the fault that held up the second grant, and not only the first holder", () => {
      const [violation] = violationsOf("mutual-exclusion", both().leave(520, 1, "b").info(521, 1, "release"));
      expect(violation?.hypotheses?.map(({ cause, fault, why }) => [cause, fault, why])).toEqual([
        ["overrun", undefined, "client-1 held longer than its lease"],
        ["overrun", 1, "stall between client-0 and node-0 at 1 ms (event 1) delayed the grant of client-0"],
        ["overrun", undefined, "the grant of client-0 arrived late"],
      ]);
    });

    it("accuses a release last that was rightful if the lock began the lease when it granted it", () => {
      const again = (recording: Recording): Recording =>
        recording
          .leave(520, 1, "b")
          .info(521, 1, "release")
          .seek(522, 1, seeks)
          .granted(523, 1, "c")
          .leave(524, 1, "c")
          .info(525, 1, "release")
          .leave(600, 0, "a")
          .info(601, 0, "release");
      const found = violationsOf("mutual-exclusion", again(both()));
      expect(found.map(({ hypotheses }) => hypotheses?.[0]?.cause)).toEqual(["overrun", "overrun"]);
    });
  });

  it("is no release of an owner whose lease may have begun only when it was granted, if it was asked for before the hold", () => {
    /** client-1 gives up what it was granted late, while client-0, which waits, is granted the lock. */
    const handedOver = (ttlMs: number): string =>
      exclusion(
        new Recording({ clients: 3 })
          .seek(0, 1, { ttlMs })
          .seek(200, 0, { ttlMs: 100, waitMs: 3000 })
          .granted(300, 1, "b")
          .leave(305, 1, "b")
          .granted(390, 0, "a")
          .acquire(480, 2, "c")
          .left(550, 1)
          .release(600, 0, "a", false),
      );
    expect(handedOver(100)).toBe("invalid; overrun 4,6");
    // Nor was it over by its request.
    expect(handedOver(1000)).toBe("invalid; overrun 4,6");
    // It had ended 50 ms before, however late it had begun.
    expect(handedOver(4)).toBe("invalid; foreign-release 3,4,6,7");
  });

  it("is no release of an owner that seems to have forgotten its hold, whose lease may have been in force", () => {
    const read = { ttlMs: 50, waitMs: 3000, mode: "shared" as const };
    const twice = (leftAt: number): string =>
      exclusion(
        new Recording({ clients: 3 })
          .seek(20, 2, read)
          .granted(320, 2, "b")
          .seek(330, 2, read)
          .granted(336, 2, "a")
          .fail(340, 1)
          .release(leftAt, 2, "b")
          .seek(leftAt + 2, 1, { ttlMs: 300, waitMs: 0, mode: "exclusive" })
          .granted(383, 1, "c")
          .release(560, 2, "a", false),
      );
    expect(twice(365)).toBe("invalid; overrun 3,9");
    // It had ended 1 ms before, however late it had begun.
    expect(twice(371)).toBe("invalid; foreign-release 3,6,7,9");
  });
});

it("blames no release of a permit that its owner was granted as often as it gave it back", () => {
  const [one, lease] = [{ ttlMs: 300, limit: 3 }, { validForMs: 299 }];
  const granted = (recording: Recording, ms: number, process: number, owner: string, more: object = {}): Recording =>
    recording.seek(ms, process, { ...one, ...more }).granted(ms, process, owner, lease);
  const released = (recording: Recording, ms: number, process: number, owner: string, found = true): Recording =>
    recording.leave(ms, process, owner).left(ms, process, found);
  const held = granted(granted(new Recording(), 10, 0, "a"), 15, 2, "b", { permits: 2 });
  const twice = released(released(granted(held, 90, 0, "a"), 95, 0, "a"), 95, 0, "a");
  const late = granted(twice, 100, 3, "c")
    .seek(250, 0, one)
    .granted(315, 0, "d", { ...lease, grantedAtMs: 250 });
  const { verdict, violations = [] } =
    checkHistory(released(released(late, 340, 2, "b", false), 395, 3, "c").history, { foreign: true }).properties[
      "mutual-exclusion"
    ] ?? {};
  expect([verdict, violations[0]?.cause]).toEqual(["invalid", "overrun"]);
});

describe("a release by a client whose acquire has an unknown outcome, beside a lease that may have been over", () => {
  /** The lock waited until 400 ms: its lease ended between 1,000 and 1,400 ms. */
  const cause = (acquirer: number, facts: { clients?: number }, mode?: "exclusive" | "shared"): string => {
    const [other, alone] = mode === undefined ? [{}, {}] : [{ mode }, { mode: "exclusive" as const }];
    return exclusion(
      new Recording(facts)
        .seek(0, 0, { waitMs: 2000, ...alone })
        .granted(400, 0, "a")
        .seek(900, acquirer, { waitMs: 1000, ...other })
        .info(1100, acquirer, "acquire")
        .release(1150, 4, "c")
        .acquire(1200, 2, "b", alone)
        .release(1500, 0, "a", false),
    );
  };

  it("may give up what that acquire was granted", () => {
    for (const mode of ["exclusive", "shared", undefined] as const)
      expect(cause(1, { clients: 3 }, mode)).toBe("invalid; overrun 1,7");
    expect(cause(1, {})).toBe("invalid; overrun 1,7");
  });

  it("is the first cause where that acquire was another client's", () => {
    expect(cause(5, { clients: 3 })).toBe("invalid; foreign-release 1,4,5,7");
  });
});
