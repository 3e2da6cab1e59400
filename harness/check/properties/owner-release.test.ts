import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { SharedEvidence } from "../evidence/evidence.ts";
import { OwnerGrantLog } from "../evidence/owner-grants.ts";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("owner-release", recording);

/** `a` outlives its lease; `b` holds now. */
const overrun = (facts: { topology?: string } = {}): Recording =>
  new Recording({ clients: 3, ...facts }).acquire(0, 0, "a", { ttlMs: 500 }).acquire(600, 1, "b", { ttlMs: 500 });

it("refuses a release and an extension that lie within another's hold", () => {
  expect(judged(overrun().release(700, 0, "a"))).toBe("invalid; foreign-release 1,3,4,5");
  expect(judged(overrun().extend(700, 0, "a"))).toBe("invalid; foreign-release 1,3,4,5");
});

it("refuses one beside hundreds by which readers gave back what was their own", () => {
  const reading = { ttlMs: 5000, mode: "shared" } as const;
  const readers = (facts: object = { backend: "simulated" }): Recording => {
    const recording = new Recording({ clients: 60, ...facts });
    for (let reader = 0; reader < 50; reader += 1) recording.acquire(reader * 2, reader, `r${reader}`, reading);
    for (let reader = 0; reader < 40; reader += 1) recording.release(200 + reader * 2, reader, `r${reader}`);
    return recording;
  };
  expect(judged(readers())).toBe("valid");
  expect(judged(readers().release(400, 3, "r3"))).toMatch(/^invalid; foreign-release/);
});

it("takes them when they found nothing", () => {
  expect(judged(overrun().release(700, 0, "a", false))).toBe("valid");
});

it("takes a release of unknown outcome", () => {
  expect(judged(overrun().leave(700, 0, "a").info(710, 0, "release"))).toBe("valid");
});

it("takes one that was under way when the other was granted the lock, or when the other gave it up", () => {
  const early = new Recording({ clients: 3 }).acquire(0, 0, "a").leave(5, 0, "a").acquire(6, 1, "b").left(8, 0);
  expect(judged(early)).toBe("valid");
  const late = overrun().leave(700, 0, "a").release(701, 1, "b").left(703, 0);
  expect(judged(late)).toBe("valid");
});

it("takes one when the other's lease was over too", () => {
  expect(judged(overrun().release(1200, 0, "a"))).toBe("valid");
});

it("takes one by the client that was granted the lock last", () => {
  expect(judged(overrun().release(700, 1, "b"))).toBe("valid");
});

it("takes one of an owner value that another client uses too, and found nothing of its own under it", () => {
  const shared = { ttlMs: 5000, limit: 3 };
  const both = (): Recording =>
    new Recording({ clients: 3 }).acquire(0, 2, "v", { ...shared, ttlMs: 20 }).acquire(30, 0, "v", shared);
  const later = (recording: Recording): string =>
    judged(recording.acquire(60, 1, "b", shared).release(80, 0, "v").release(90, 1, "b"));
  expect(later(both().release(50, 2, "v", false))).toBe("valid");
  const alone = new Recording({ clients: 3 }).acquire(30, 0, "v", shared);
  expect(later(alone.release(50, 0, "v", false))).toBe("invalid; foreign-release 1,5,6,7");
});

it("refuses one by a stranger", () => {
  expect(judged(new Recording({ clients: 3 }).acquire(0, 0, "a").release(5, 2, "z"))).toBe(
    "invalid; foreign-release 1,2,3",
  );
});

it("keeps keys apart", () => {
  expect(judged(overrun().on("other").release(700, 0, "a"))).toBe("valid");
});

it("takes one that may have found its own copy after a failover, and remarks upon it", () => {
  const recording = new Recording({ clients: 3 })
    .acquire(0, 0, "a")
    .fault(10, "promotion")
    .acquire(20, 1, "b")
    .release(30, 0, "a");
  expect(judged(recording)).toBe("valid");
  expect(checkHistory(recording.history).remarks).toEqual([expect.stringContaining("may have held the lock itself")]);
});

it("takes one whose acquire had an unknown outcome, if an earlier release of its own may have freed the key", () => {
  const begun = (): Recording => new Recording({ clients: 2, topology: "single", backend: "simulated" });
  const again = (recording: Recording): string =>
    judged(recording.seek(20, 0).info(25, 0, "acquire").release(40, 2, "a"));
  expect(again(begun().seek(0, 1, { ttlMs: 5000 }).acquire(1, 0, "a").granted(5, 1, "b").release(10, 0, "a"))).toBe(
    "valid",
  );
  expect(again(begun().acquire(1, 0, "a").release(3, 0, "a").acquire(10, 1, "b", { ttlMs: 5000 }))).toBe(
    "invalid; foreign-release 1,5,8,9",
  );
});

it("takes one that may have found a copy from before the recording", () => {
  const judgedFrom = (facts: object): string =>
    judged(new Recording({ clients: 3, ...facts }).fault(0, "promotion").acquire(20, 1, "b").release(30, 0, "a"));
  expect(judgedFrom({})).toBe("valid");
  expect(judgedFrom({ backend: "simulated" })).toBe("invalid; foreign-release 2,3,4");
  const several = (facts: object): string =>
    judged(new Recording({ clients: 3, topology: "redlock", ...facts }).acquire(20, 1, "b").release(30, 0, "a"));
  expect(several({})).toBe("valid");
  expect(several({ backend: "simulated" })).toBe("invalid; foreign-release 1,2,3");
});

it("does not take a failover before its own grant for an excuse", () => {
  const recording = new Recording({ clients: 3 })
    .fault(0, "promotion")
    .acquire(1, 0, "a", { ttlMs: 500 })
    .acquire(600, 1, "b")
    .release(700, 0, "a");
  expect(judged(recording)).toBe("invalid; foreign-release 2,4,5,6");
});

it("of several masters, takes one whose lease was still running, and refuses one whose was over", () => {
  const running = new Recording({ clients: 3, topology: "redlock" })
    .acquire(0, 0, "a")
    .acquire(20, 1, "b")
    .release(30, 0, "a");
  expect(judged(running)).toBe("valid");
  expect(judged(overrun({ topology: "redlock" }).release(700, 0, "a"))).toBe("invalid; foreign-release 1,3,4,5");
});

it("takes one that may have found what an extension of unknown outcome, or a failed one, left on a minority of several masters", () => {
  const prolonging = (topology: string): Recording =>
    new Recording({ clients: 3, topology })
      .acquire(10, 0, "a", { ttlMs: 500 })
      .seekExtension(400, 0, "a", 500)
      .acquire(600, 1, "b");
  for (const of of [(it: Recording) => it.info(650, 0, "extend"), (it: Recording) => it.failExtension(650, 0)]) {
    const redlock = of(prolonging("redlock")).release(700, 0, "a");
    expect(judged(redlock)).toBe("valid");
    expect(judged(of(prolonging("single")).release(700, 0, "a"))).toMatch(/^invalid; foreign-release /);
    expect(judge("linearizability", redlock)).toBe("invalid; contradiction 4,6,7");
  }
});

describe("accuses only where the order at the server is certain", () => {
  const three = (facts: { topology?: string; persistence?: string } = {}): Recording =>
    new Recording({ clients: 3, ...facts });
  /** `a` and `b` ask for the lock at the same time and are both granted it, `b` first in the history. */
  const concurrent = (): Recording => three().seek(0, 0).seek(1, 1).granted(2, 1, "b").granted(3, 0, "a");

  it("not of grants that overlap in time, in any order they were completed", () => {
    expect(judged(concurrent().release(10, 0, "a"))).toBe("valid");
    expect(judged(concurrent().release(10, 1, "b"))).toBe("valid");
    expect(judged(concurrent().extend(10, 1, "b"))).toBe("valid");
  });

  it("of grants that overlap in time, once a release shows that one of them was over", () => {
    const over = concurrent().release(10, 1, "b");
    expect(judged(over.release(20, 1, "b"))).toBe("invalid; foreign-release 2,3,6,7");
    const missed = concurrent().release(10, 1, "b", false).release(20, 1, "b");
    expect(judged(missed)).toBe("invalid; foreign-release 2,3,6,7");
    const twice = three().acquire(0, 1, "b").seek(3, 0).acquire(4, 1, "b").granted(6, 0, "a").release(10, 1, "b");
    expect(judged(twice.release(20, 1, "b"))).toBe("valid");
    const missedTwice = three()
      .acquire(0, 1, "b")
      .seek(3, 0)
      .acquire(4, 1, "b")
      .granted(6, 0, "a")
      .release(10, 1, "b", false);
    expect(judged(missedTwice.release(20, 1, "b"))).toMatch(/^invalid/);
    const underWay = three().acquire(0, 1, "b").leave(3, 1, "b").seek(3, 0).acquire(4, 2, "b").granted(6, 0, "a");
    expect(judged(underWay.left(7, 1, false).release(20, 1, "b"))).toBe("valid");
    const ownTask = three().acquire(0, 1, "b").leave(3, 1, "b").seek(3, 0).acquire(4, 4, "b").granted(6, 0, "a");
    expect(judged(ownTask.left(7, 1, false).release(20, 1, "b"))).toBe("valid");
    const unknown = concurrent().leave(10, 1, "b").info(12, 1, "release").release(20, 4, "b");
    expect(judged(unknown)).toBe("valid");
  });

  it("not of two releases of one owner at the same time, of which one found nothing: the other may have come first", () => {
    const together = concurrent().leave(10, 0, "a").leave(11, 3, "a").left(12, 3, false).left(14, 0);
    expect(judged(together)).toBe("valid");
    expect(judged(concurrent().leave(11, 3, "a").left(12, 3, false).release(13, 0, "a"))).toMatch(/^invalid/);
  });

  it("of an owner that had given the lock back, or lost it, before the other asked", () => {
    const released = three().acquire(0, 0, "a").release(5, 0, "a").acquire(10, 1, "b").release(20, 0, "a");
    expect(judged(released)).toBe("invalid; foreign-release 1,5,6,7");
    const lost = three().acquire(0, 0, "a").lost(5, 0, "a").acquire(10, 1, "b").release(20, 0, "a");
    expect(judged(lost)).toBe("invalid; foreign-release 1,4,5,6");
  });

  it("not of an owner that was granted the lock anew, or may be until the operation is over", () => {
    const anew = three().acquire(0, 0, "a").release(5, 0, "a").acquire(10, 1, "b").acquire(15, 0, "a");
    expect(judged(anew.release(20, 0, "a"))).toBe("valid");
    const during = overrun().seek(690, 2).release(700, 0, "a").granted(705, 2, "a");
    expect(judged(during)).toBe("valid");
    const another = overrun().seek(690, 2).release(700, 0, "a").granted(705, 2, "c");
    expect(judged(another)).toBe("invalid; foreign-release 1,3,5,6");
    const refused = overrun().seek(690, 2).release(700, 0, "a").refused(705, 2);
    expect(judged(refused)).toBe("invalid; foreign-release 1,3,5,6");
  });

  it("not of an acquire of unknown outcome, where the other may have lost the lock", () => {
    const mayHave = (): Recording =>
      three().acquire(0, 0, "a", { ttlMs: 500 }).release(5, 0, "a").seek(10, 0).info(12, 0, "acquire");
    const held = mayHave().acquire(600, 1, "b");
    expect(judged(held.release(700, 3, "a"))).toBe("invalid; foreign-release 1,7,8,9");
    const robbed = mayHave().acquire(600, 1, "b").fault(650, "eviction");
    expect(judged(robbed.release(700, 3, "a"))).toBe("valid");
    const taken = mayHave().acquire(600, 1, "b").release(650, 2, "c");
    expect(judged(taken.release(700, 3, "a"))).toBe("invalid; foreign-release 7,8,9");
    const open = three().acquire(0, 0, "a", { ttlMs: 500 }).acquire(600, 1, "b").fault(650, "eviction").seek(660, 3);
    expect(judged(open.release(700, 0, "a"))).toBe("valid");
    const ended = three().acquire(0, 0, "a", { ttlMs: 500 }).acquire(600, 1, "b").fault(650, "eviction").seek(660, 3);
    expect(judged(ended.release(700, 0, "a").info(800, 3, "acquire").fail(9000, 2))).toBe("valid");
  });

  it("not of a stranger whose acquire had an unknown outcome, as far as it is the same client's", () => {
    const stranger = (process: number): Recording =>
      three().seek(0, process).info(2, process, "acquire").acquire(5, 1, "b").release(20, 3, "z");
    expect(judged(stranger(0))).toBe("valid");
    expect(judged(stranger(2))).toBe("invalid; foreign-release 3,4,5");
  });

  it("not where a node may have come back with what it had before", () => {
    const restarted = (persistence?: string): string =>
      judged(
        three(persistence === undefined ? {} : { persistence })
          .acquire(0, 0, "a")
          .leave(5, 0, "a")
          .info(6, 0, "release")
          .acquire(10, 1, "b")
          .fault(15, "restart-node")
          .release(20, 3, "a"),
      );
    expect(restarted()).toBe("valid");
    expect(restarted("everysec")).toBe("valid");
    expect(restarted("none")).toBe("invalid; foreign-release 1,5,7,8");
    expect(restarted("always")).toBe("invalid; foreign-release 1,5,7,8");
  });

  it("not where the grants name two places, or two masters went on side by side", () => {
    const places = three().acquire(0, 0, "a", { place: "node-0" }).acquire(600, 1, "b", { place: "node-1" });
    expect(judged(places.release(700, 0, "a"))).toBe("valid");
    const masters = three()
      .fault(0, "partition", { targets: ["node-0"] })
      .fault(1, "promotion", { targets: ["node-1"] })
      .acquire(10, 0, "a")
      .acquire(20, 1, "b");
    expect(judged(masters.release(30, 0, "a"))).toBe("valid");
  });

  it("not before a failover that was seen only afterwards", () => {
    const seen = (afterMs: number): Recording =>
      overrun()
        .release(700, 0, "a")
        .fault(701 + afterMs, "promotion")
        .fail(5000, 2);
    expect(judged(seen(900))).toBe("valid");
    expect(judged(seen(1001))).toBe("invalid; foreign-release 1,3,4,5");
  });

  it("not with several masters whose clocks were stepped", () => {
    const stepped = overrun({ topology: "redlock" }).fault(650, "clock-jump").release(700, 0, "a");
    expect(judged(stepped)).toBe("valid");
  });

  it("however many others were granted the lock since, as far as it remembers", () => {
    const evidence = new SharedEvidence({ format: "lockstorm-history", version: 1 });
    const grants = new OwnerGrantLog(evidence.holds, evidence.heldBefore, () => false, 2);
    const recording = new Recording();
    for (const owner of ["b", "a", "b", "c"]) recording.acquire(0, 0, owner).release(2, 0, owner);
    for (const event of recording.history.events) grants.push(evidence.push(event));
    expect(grants.of("k", "a")).toBe(undefined);
    expect(grants.forgottenUpTo).toBe(5);
    expect(grants.of("k", "b")).toMatchObject({ grantedBy: 9, entries: 0, goneBy: 11 });
  });
});

describe("of a hold that a request for a shorter lease may have ended", () => {
  /** `b` asks for a lease of 20 ms; `a`, whose lease is over, releases long after that. */
  const asked = (): Recording => overrun().seekExtension(610, 1, "b", 20).release(700, 0, "a");

  it("accuses if that request fails", () => {
    expect(judged(asked().failExtension(750, 1))).toBe("invalid; foreign-release 1,3,5,6");
    expect(judged(asked().acquire(800, 2, "c").acquire(2500, 2, "c").failExtension(2600, 1))).toMatch(/^invalid/);
  });

  it("does not if it is granted, or never answered", () => {
    expect(judged(asked())).toBe("valid");
    expect(judged(asked().extended(750, 1, "b"))).toBe("valid");
    expect(judged(asked().info(750, 1, "extend"))).toBe("valid");
  });
});

describe("of an owner whose client has made an acquire of unknown outcome", () => {
  const unknown = (): Recording =>
    new Recording({ clients: 3 })
      .acquire(0, 0, "a", { ttlMs: 500 })
      .seek(510, 0, { ttlMs: 400 })
      .info(520, 0, "acquire");

  it("does not accuse where a third was granted the lock beside the other, which may have lost it", () => {
    const both = unknown().seek(600, 1).seek(601, 2).granted(602, 1, "b").granted(603, 2, "c");
    const beside = both.release(700, 3, "a").release(800, 2, "c");
    expect(judged(beside)).toBe("valid");
    const alone = unknown().acquire(600, 1, "b").release(700, 3, "a").release(800, 1, "b");
    expect(judged(alone)).toMatch(/^invalid; foreign-release/);
  });

  it("accuses if that acquire, or a release by a third, came only after the operation", () => {
    const later = (recording: Recording): Recording =>
      recording.seek(710, 0, { ttlMs: 400 }).info(720, 0, "acquire").acquire(730, 2, "c").release(740, 2, "c");
    expect(judged(later(overrun().release(700, 0, "a")))).toMatch(/^invalid; foreign-release/);
    expect(judged(later(overrun().release(700, 0, "another")))).toMatch(/^invalid; foreign-release/);
    const afterwards = unknown().acquire(600, 1, "b").release(700, 3, "a").acquire(730, 2, "c").release(740, 2, "c");
    expect(judged(afterwards)).toMatch(/^invalid; foreign-release/);
  });
});

it("is not what a reader does that ends its own hold beside a writer", () => {
  const beside = (mode: "shared" | "exclusive"): Recording =>
    new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { mode })
      .acquire(2, 1, "b", { mode: "exclusive" })
      .release(50, 0, "a")
      .release(60, 1, "b");
  expect(judged(beside("shared"))).toBe("valid");
  expect(judged(beside("exclusive"))).toMatch(/^invalid; foreign-release /);
});

it("is the lock's own fault, whatever fault made the lease end so early", () => {
  const [violation] = violationsOf(
    "owner-release",
    new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { validForMs: 900 })
      .fault(5, "clock-jump")
      .acquire(100, 1, "b")
      .release(110, 0, "a"),
  );
  expect(violation).toMatchObject({
    cause: "foreign-release",
    proof: { standing: "proven", by: "the history shows it" },
  });
  expect(violation?.hypotheses).toHaveLength(1);
});

it("does not say that owners are not compared, where the answer alone may be wrong", () => {
  const why = (extended: boolean): string => {
    const begun = new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 50 })
      .acquire(100, 1, "b");
    const over = extended ? begun.extend(110, 0, "a") : begun.release(110, 0, "a");
    return violationsOf("owner-release", over.release(200, 1, "b"))[0]?.hypotheses?.[0]?.why ?? "";
  };
  expect(why(false)).toMatch(/deletes the key, or it reports success although it released nothing$/);
  expect(why(true)).toMatch(/extends the lease, or it reports success although it extended nothing$/);
});

it("does not say of a recording that may have begun midway that an owner was never granted the lock", () => {
  const told = (facts: { backend?: string }): string =>
    violationsOf(
      "owner-release",
      new Recording({ clients: 2, ...facts })
        .acquire(0, 0, "a", { ttlMs: 5000 })
        .release(10, 1, "z")
        .release(2000, 0, "a"),
    )[0]?.explanation ?? "";
  expect(told({ backend: "simulated" })).toContain("had never been granted it with this owner value");
  expect(told({})).toContain("had not been granted it with this owner value since the history began");
  // The overlap may have begun before the recording.
  const before = "or this owner was granted it before the recording began, and the lock granted it to another";
  expect(told({})).toContain(before);
  expect(told({ backend: "simulated" })).not.toContain(before);
  const late = new Recording({ clients: 2 }).acquire(0, 1, "z", { ttlMs: 50 }).acquire(100, 0, "a", { ttlMs: 5000 });
  const [known] = violationsOf("owner-release", late.release(110, 1, "z").release(2000, 0, "a"));
  expect(known?.explanation).toMatch(/although it released nothing\. /);
});

it("takes a release beside which its client had too many acquires under way to remember them all", () => {
  const beside = (count: number): string => {
    const others = Array.from({ length: count }, (_, number) => 2 + 2 * number);
    const begun = new Recording({ clients: 2, backend: "simulated" }).seek(0, 1).acquire(1, 0, "a");
    for (const process of others) begun.seek(5, process);
    begun.release(10, 0, "a").granted(15, 1, "b");
    for (const process of others) begun.refused(17, process);
    return judged(begun.release(20, 0, "a").release(900, 1, "b"));
  };
  expect(beside(64)).toMatch(/^invalid; foreign-release/);
  expect(beside(65)).toBe("valid");
});

it("names one time where the operation began and ended at the same", () => {
  const told = (atMs: number): string => {
    const recording = new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a", { ttlMs: 5000 });
    const released = recording.leave(10, 1, "z").left(atMs, 1).release(2000, 0, "a");
    return violationsOf("owner-release", released)[0]?.explanation ?? "";
  };
  expect(told(10)).toContain("released k at 10 ms, and the lock reported success");
  expect(told(12)).toContain("released k between 10 ms and 12 ms, and");
});

it("does not apply where nobody released or extended", () => {
  expect(judged(new Recording().acquire(0, 0, "a"))).toBe("not-applicable");
});
