import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("fencing-tokens", recording);

it("takes fencing tokens that grow, with gaps", () => {
  expect(judged(new Recording().acquire(0, 0, "a", { fence: 3 }).acquire(5, 1, "b", { fence: 9 }))).toBe("valid");
});

it("refuses one that is repeated later", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .release(2, 0, "a")
    .acquire(5, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,5");
});

it("refuses one that the same client is given twice, under two owner values", () => {
  const recording = new Recording().acquire(0, 0, "a", { fence: 3 }).acquire(2000, 0, "b", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,3");
});

it("refuses one that is repeated by a grant at the same time", () => {
  const recording = new Recording()
    .seek(0, 0)
    .seek(1, 1)
    .granted(2, 0, "a", { fence: 3 })
    .granted(3, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 2,3");
});

it("takes grants at the same time in any order", () => {
  const recording = new Recording()
    .seek(0, 0)
    .seek(1, 1)
    .granted(2, 0, "a", { fence: 4 })
    .granted(3, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("valid");
});

it("names the grant with the same fencing token rather than the largest", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .acquire(5, 1, "b", { fence: 7 })
    .acquire(10, 2, "c", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,5");
});

it("keeps keys apart", () => {
  const recording = new Recording().on("k1").acquire(0, 0, "a", { fence: 3 }).on("k2").acquire(5, 1, "b", { fence: 3 });
  expect(judged(recording)).toBe("valid");
});

it("takes the same fencing token on re-entry, and refuses another", () => {
  const outer = (): Recording => new Recording().acquire(0, 0, "a", { fence: 3 });
  expect(judged(outer().acquire(5, 0, "a", { fence: 3 }))).toBe("valid");
  expect(judged(outer().acquire(5, 0, "a", { fence: 4 }))).toBe("invalid; token-rollback 3");
  expect(judged(outer().acquire(5, 0, "a", { fence: 2 }))).toBe("invalid; token-rollback 3");
  // A fault may have taken the hold: then it is a new one.
  const lost = (): Recording => new Recording().seek(0, 0).fault(0.5, "restart-node").granted(1, 0, "a", { fence: 3 });
  expect(judged(lost().acquire(5, 0, "a", { fence: 4 }))).toBe("valid");
  expect(judged(outer().acquire(5, 0, "a", { fence: 4 }).fault(7, "restart-node"))).toBe("valid");
  expect(judged(outer().acquire(5, 0, "a", { fence: 2 }).fault(7, "restart-node"))).toMatch(/^invalid/);
});

it("refuses re-entry with a fencing token that is no longer the largest: the hold was gone in between", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .acquire(1100, 1, "b", { fence: 4 })
    .acquire(2200, 0, "a", { fence: 3 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,5");
});

it("refuses the old fencing token after the hold was certainly over", () => {
  const held = (facts = {}): Recording => new Recording({ clients: 2, ...facts }).acquire(0, 0, "a", { fence: 3 });
  const released = held({ backend: "simulated" }).release(3, 0, "a").acquire(5, 0, "a", { fence: 3 });
  expect(judged(released)).toBe("invalid; token-rollback 1,5");
  // Where somebody may have held before, the first grant may have been a re-entry.
  expect(judged(held().release(3, 0, "a").acquire(5, 0, "a", { fence: 3 }))).toBe("valid");
  const another = held().release(3, 0, "a").acquire(5, 1, "b").release(7, 1, "b").acquire(9, 0, "a", { fence: 4 });
  expect(judged(another.release(11, 0, "a").acquire(13, 0, "a", { fence: 4 }))).toBe("invalid; token-rollback 9,13");
  expect(judged(held().release(3, 0, "a", false).acquire(5, 0, "a", { fence: 3 }))).toBe("invalid; token-rollback 1,5");
  // A notice may be mistaken, and a release of unknown outcome may have had no effect.
  expect(judged(held().lost(3, 0, "a").acquire(5, 0, "a", { fence: 3 }))).toBe("valid");
  const asked = held().seek(3, 0).lost(4, 0, "a");
  expect(judged(asked.granted(5, 0, "a", { fence: 3 }))).toBe("valid");
  const unknown = (): Recording => held().leave(3, 0, "a").info(4, 0, "release");
  expect(judged(unknown().acquire(5, 2, "a", { fence: 3 }))).toBe("valid");
  expect(judged(unknown().acquire(5, 2, "a", { fence: 4 }))).toBe("valid");
  // A lock may compare the owner value alone: then another client that uses it enters the same hold.
  expect(judged(unknown().acquire(5, 1, "a", { fence: 3 }))).toBe("valid");
  expect(judged(unknown().acquire(5, 1, "b", { fence: 3 }))).toBe("invalid; token-rollback 1,5");
  const twice = held().acquire(2, 0, "a", { fence: 3 }).release(4, 0, "a");
  expect(judged(twice.acquire(6, 0, "a", { fence: 3 }))).toBe("valid");
});

it("takes a larger fencing token for that of a new hold where another client may have ended the old one", () => {
  const shared = (): Recording =>
    new Recording({ clients: 2 }).acquire(0, 0, "a", { fence: 3 }).acquire(5, 1, "a", { ttlMs: 20, fence: 3 });
  expect(judged(shared().acquire(40, 0, "a", { fence: 4 }))).toBe("valid");
  expect(judged(shared().acquire(40, 0, "a", { fence: 2 }))).toBe("invalid; token-rollback 5");
  const alone = new Recording({ clients: 2 }).acquire(0, 0, "a", { fence: 3 }).acquire(40, 0, "a", { fence: 4 });
  expect(judged(alone)).toBe("invalid; token-rollback 3");
});

it("does not count grants without one", () => {
  expect(judged(new Recording().acquire(0, 0, "a").acquire(5, 1, "b"))).toBe("not-applicable");
  const some = new Recording().acquire(0, 0, "a", { fence: 3 }).acquire(5, 1, "b").acquire(9, 2, "c", { fence: 4 });
  expect(judged(some)).toBe("valid");
});

it("does not count acquires that failed or whose outcome is unknown", () => {
  const recording = new Recording().acquire(0, 0, "a", { fence: 3 }).fail(5, 1).seek(7, 1).info(9, 1, "acquire");
  expect(judged(recording)).toBe("valid");
});

it("blames the fault that makes a counter forget", () => {
  const recording = new Recording()
    .acquire(0, 0, "a", { fence: 3 })
    .fault(3, "latency")
    .fault(4, "restart-node")
    .acquire(5, 1, "b", { fence: 1 });
  expect(judged(recording)).toBe("invalid; token-rollback 1,3,5");
});

it(
  "finds a repetition however many grants lie between, while one of the two acquires was under way",
  { tags: "long" },
  () => {
    const recording = new Recording().seek(0, 99).acquire(1, 0, "first", { fence: 1 });
    for (let count = 2; count <= 10_000; count += 1) recording.acquire(count * 2, 0, `o${count}`, { fence: count });
    expect(judged(recording.granted(30_000, 99, "late", { fence: 1 }))).toMatch(/^invalid; token-rollback 2,\d+$/);
  },
);

it("finds a fencing token that ran backwards however many grants lie between", { tags: "long" }, () => {
  const recording = new Recording();
  for (let count = 1; count <= 10_000; count += 1) recording.acquire(count * 2, 0, `o${count}`, { fence: count });
  expect(judged(recording.acquire(30_000, 1, "late", { fence: 1 }))).toMatch(/^invalid; token-rollback/);
});

it("takes a token twice for one hold, of which another client found nothing under its owner value", () => {
  const again = (process: number): string =>
    judged(
      new Recording({ clients: 2 })
        .acquire(0, 0, "v", { fence: 1, ttlMs: 5000 })
        .lost(10, 0, "v")
        .release(20, process, "v", false)
        .acquire(30, 0, "v", { fence: 1, ttlMs: 5000 }),
    );
  expect(again(1)).toBe("valid");
  expect(again(0)).toMatch(/^invalid; token-rollback/);
});

describe("of grants that overlap in time", () => {
  /** `a` asks first, is delayed beyond its lease, and is told a larger fencing token than `b`, who is granted the key meanwhile. */
  const overtaken = (): Recording =>
    new Recording()
      .seek(0, 0, { ttlMs: 100 })
      .acquire(200, 1, "b", { fence: 1, ttlMs: 1000 })
      .granted(300, 0, "a", { fence: 2 });

  it("refuses tokens that no order of the holds explains", () => {
    expect(judged(overtaken().extend(400, 1, "b"))).toBe("invalid; token-overtaken 2,3");
    expect(judged(overtaken().release(400, 1, "b"))).toBe("invalid; token-overtaken 2,3");
  });

  it("takes them where `a` may have been granted the key after `b`", () => {
    const early = new Recording()
      .seek(0, 0, { ttlMs: 100 })
      .acquire(200, 1, "b", { fence: 1, ttlMs: 1000 })
      .release(210, 1, "b")
      .granted(300, 0, "a", { fence: 2 });
    expect(judged(early)).toBe("valid");
    expect(judged(overtaken())).toBe("invalid; token-overtaken 2,3");
  });

  it("names the two grants that may be the other way round, also where a third one shows it", () => {
    const later = new Recording({ clients: 2, backend: "simulated" })
      .seek(0, 0, { ttlMs: 2400 })
      .seek(40, 1, { ttlMs: 2400 })
      .granted(2440, 1, "b", { fence: 1 })
      .granted(2592, 0, "a", { fence: 2 })
      .leave(4121, 1, "b")
      .info(4122, 1, "release")
      .acquire(4123, 3, "c", { fence: 3 });
    expect(judged(later)).toBe("invalid; token-overtaken 2,3");
    const [violation] = checkHistory(later.history).properties["fencing-tokens"]?.violations ?? [];
    expect(violation?.holders?.map(({ owner }) => owner)).toEqual(["a", "b"]);
    expect(violation?.explanation).toMatch(/with fencing token 2; .* with fencing token 1\. The first must have held/);
  });

  it("says nothing where exclusion itself was broken", () => {
    const broken = new Recording()
      .seek(0, 0)
      .acquire(1, 1, "b", { fence: 1 })
      .granted(3, 0, "a", { fence: 2 })
      .extend(5, 1, "b")
      .extend(7, 0, "a");
    expect(judged(broken)).toBe("valid");
  });

  it("says nothing where an owner value was granted anew with another token: it may have been a re-entry", () => {
    const anew = new Recording()
      .seek(0, 0)
      .granted(1, 0, "a", { fence: 1 })
      .fault(2, "restart-node")
      .acquire(5, 0, "a", { fence: 2 })
      .release(8, 0, "a");
    expect(judged(anew)).toBe("valid");
  });
});

describe("of an owner that is granted the lock again within its lease", () => {
  const between = (fence: number): Recording =>
    new Recording()
      .acquire(0, 0, "a", { fence: 1 })
      .acquire(10, 1, "b", { fence: 2 })
      .acquire(20, 0, "a", { fence })
      .release(30, 1, "b");

  it("takes a larger fencing token where another was granted the lock in between, against its lease", () => {
    expect(judged(between(3))).toBe("valid");
    const [alone, before] = [new Recording(), new Recording().acquire(0, 1, "b", { fence: 1 }).release(5, 1, "b")];
    const again = alone.acquire(10, 0, "a", { fence: 1 }).acquire(15, 0, "a", { fence: 1 });
    expect(judged(again.acquire(20, 0, "a", { fence: 3 }))).toMatch(/^invalid/);
    expect(judged(before.acquire(10, 0, "a", { fence: 2 }).acquire(20, 0, "a", { fence: 3 }))).toMatch(/^invalid/);
  });

  it("refuses the token of the other, and a smaller one", () => {
    expect(judged(between(2))).toBe("invalid; token-rollback 3,5");
    const smaller = new Recording().acquire(0, 0, "a", { fence: 3 }).acquire(10, 1, "b", { fence: 4 });
    expect(judged(smaller.acquire(20, 0, "a", { fence: 1 }))).toMatch(/^invalid; token-rollback/);
  });
});

describe("a hold that a release of its owner value may have ended counts as over when its client is granted the key again", () => {
  const free = { clients: 2, backend: "simulated" };
  const ttlMs = 1e6;
  const again = (recording: Recording, process: number): Recording =>
    recording.acquire(30, process, "s", { fence: 2, ttlMs }).acquire(40, process, "s", { fence: 3, ttlMs });

  it("the release of an earlier hold, of unknown outcome", () => {
    const released = new Recording(free).acquire(0, 0, "s", { fence: 1, ttlMs }).release(10, 0, "s");
    expect(judged(again(released.leave(20, 0, "s").info(25, 0, "release"), 2))).toBe("valid");
  });

  it("the same, of another client that uses the same owner value", () => {
    const released = new Recording(free).acquire(0, 0, "s", { fence: 1, ttlMs }).release(10, 0, "s");
    expect(judged(again(released.leave(20, 0, "s").info(25, 0, "release"), 1))).toBe("valid");
  });

  it("one that was under way beside its acquire", () => {
    for (const process of [1, 2]) {
      const beside = new Recording(free)
        .seek(30, process, { ttlMs })
        .leave(31, 0, "s")
        .granted(32, process, "s", { fence: 2 })
        .left(33, 0)
        .acquire(40, process, "s", { fence: 3, ttlMs });
      expect(judged(beside)).toBe("valid");
      const within = new Recording(free)
        .seek(30, process, { ttlMs })
        .leave(31, 0, "s")
        .left(32, 0)
        .granted(33, process, "s", { fence: 2 })
        .acquire(40, process, "s", { fence: 3, ttlMs });
      expect(judged(within)).toBe("valid");
    }
  });

  it("but not where every release was answered before its acquire", () => {
    const released = new Recording(free).acquire(0, 0, "s", { fence: 1, ttlMs }).release(10, 0, "s");
    expect(judged(again(released.release(20, 0, "s", false), 0))).toBe("invalid; token-rollback 9");
  });
});

it("names both grants of one owner that share one although another held in between", () => {
  const again = (owner: string): Recording =>
    new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { fence: 1, ttlMs: 20 })
      .acquire(40, 1, owner)
      .release(50, 1, owner)
      .acquire(60, 0, "a", { fence: 1 });
  expect(judged(again("b"))).toBe("invalid; token-rollback 1,7");
  expect(judge("linearizability", again("b"))).toMatch(/^invalid; token-rollback /);
});

it("says nothing of what one client holds because of a release by another of the same owner value that found nothing", () => {
  const missed = (process: number): Recording =>
    new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { fence: 1 })
      .leave(10, process, "a")
      .seek(11, 2)
      .left(12, process, false)
      .granted(13, 2, "a", { fence: 1 });
  expect(judged(missed(1))).toBe("valid");
});

describe("a grant of which a coarse clock does not show when it was completed within its step", () => {
  /** Two clients are granted the key within one step, after `a` was granted it with token 5. The first of them has this token. */
  const within = (fence: number, before = 5): Recording => {
    const held = new Recording({ clients: 2 }).seek(0, 0).granted(0, 0, "a", { fence: before }).seek(100, 1);
    const first = held.refused(100, 1).leave(100, 0, "a").left(100, 0).seek(200, 0).granted(200, 0, "c", { fence });
    const second = first.leave(200, 0, "c").left(200, 0).seek(200, 0).refused(200, 0).seek(200, 1);
    second.refused(200, 1).seek(200, 1);
    return second.granted(200, 1, "d", { fence: 7 }).leave(200, 1, "d").left(200, 1).seek(200, 1).refused(200, 1);
  };
  const verdict = ({ history }: Recording): unknown =>
    checkHistory(history, { foreign: true }).properties["fencing-tokens"]?.verdict;

  it("has a larger fencing token than those before that step, and a smaller one than those after it", () => {
    const next = (fence: number, after: number): Recording =>
      within(fence).seek(400, 0).granted(400, 0, "e", { fence: after }).leave(500, 0, "e").left(500, 0);
    expect([verdict(within(3)), verdict(within(6)), verdict(within(9))]).toEqual(["invalid", "valid", "valid"]);
    expect([verdict(next(9, 8)), verdict(next(6, 8))]).toEqual(["invalid", "valid"]);
  });
});
