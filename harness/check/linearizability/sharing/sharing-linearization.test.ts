import { describe, expect, it } from "vitest";
import type { Sharing } from "../../../core/sharing.ts";
import { checkHistory } from "../../check.ts";
import { Recording } from "../../testing/recording.ts";

const two: Sharing = { limit: 2 };
const reading: Sharing = { mode: "shared" };
const writing: Sharing = { mode: "exclusive" };

function recording(clients = 3): Recording {
  return new Recording({ clients, backend: "simulated" });
}

function judged(history: Recording, options: Parameters<typeof checkHistory>[1] = {}): string {
  const found = checkHistory(history.history, options).properties.linearizability;
  const causes = (found?.violations ?? []).map(({ cause, events }) => `${cause} ${events.join()}`);
  return [found?.verdict, ...causes].join("; ");
}

function words(history: Recording): string | undefined {
  return checkHistory(history.history).properties.linearizability?.violations[0]?.explanation;
}

describe("an owner of a key that several may hold", () => {
  it("is told within its lease that it holds nothing only if its hold is over", () => {
    const told = (atMs: number): string =>
      judged(
        recording()
          .acquire(0, 0, "a", { ttlMs: 1000, ...two })
          .release(atMs, 0, "a", false),
      );
    expect(told(986)).toMatch(/^invalid; lost-early 1,2,3/);
    // The lease may be over when the answer comes, a millisecond later.
    expect(told(987)).toBe("valid");
  });

  it("releases as often as it entered, and no more", () => {
    const released = (times: number): string => {
      const history = recording().acquire(0, 0, "a", two).acquire(10, 0, "a", two).acquire(20, 1, "b", two);
      for (let time = 0; time < times; time += 1) history.release(30 + time * 10, 0, "a");
      return judged(history);
    };
    expect(released(2)).toBe("valid");
    expect(released(3)).toMatch(/^invalid; foreign-release/);
  });

  it("extends only what it holds", () => {
    const extended = (owner: string): string => {
      const history = recording().acquire(0, 0, "a", two).acquire(5, 1, "b", two).release(10, 0, "a");
      return judged(history.extend(20, 0, owner, { ttlMs: 1000 }));
    };
    expect(extended("a")).toMatch(/^invalid; foreign-release/);
    expect(extended("b")).toBe("valid");
  });

  it("may have extended it before it released it, where the release was answered before the extension", () => {
    const asked = (share: Sharing): Recording =>
      recording(2).acquire(0, 0, "a", share).seek(9, 1, share).seekExtension(10, 0, "a", 1000);
    for (const share of [writing, { limit: 1 }]) {
      const before = asked(share).leave(11, 2, "a").granted(12, 1, "b").left(13, 2).extended(14, 0, "a");
      const after = asked(share).granted(11, 1, "b").leave(12, 2, "a").left(13, 2).extended(14, 0, "a");
      expect(judged(before)).toBe("valid");
      expect(judged(after)).toMatch(/^invalid; double-grant/);
    }
  });

  it("may have been granted it by an acquire of unknown outcome, but two owners not by the same", () => {
    const unseen = (...owners: readonly string[]): string => {
      const history = recording().acquire(0, 1, "b", two).seek(10, 0, two).info(20, 0, "acquire");
      for (const [place, owner] of owners.entries()) history.release(30 + place * 10, 3, owner);
      return judged(history);
    };
    expect(unseen("a")).toBe("valid");
    expect(unseen("a", "c")).toMatch(/^invalid/);
  });

  it("may use the value of another client, whose hold it then ends", () => {
    const history = recording().acquire(0, 0, "a", two).release(10, 1, "a");
    expect(judged(history)).toBe("valid");
    expect(judged(history.release(20, 0, "a"))).toMatch(/^invalid; foreign-release/);
  });

  it("may share its value with another client whom the lock tells apart, so that two leases end", () => {
    const all = recording()
      .acquire(0, 0, "s", { ttlMs: 100, ...two })
      .acquire(10, 1, "s", { ttlMs: 1000, ...two })
      .release(20, 1, "s")
      .acquire(200, 2, "c", { limit: 2, permits: 2 });
    expect(judged(all)).toBe("valid");
    expect(judged(all.release(210, 1, "s").release(220, 0, "s"))).toMatch(/^invalid/);
  });

  it("may have lost it before the first acquire, which says how it is shared", () => {
    const before = (facts: { readonly backend?: "simulated" }): string =>
      judged(new Recording({ clients: 3, ...facts }).release(0, 0, "a").acquire(10, 1, "b", two));
    expect(before({ backend: "simulated" })).toMatch(/^invalid; foreign-release/);
    expect(before({})).toBe("valid");
    const beside = recording().leave(0, 0, "a").seek(1, 1, two).left(2, 0).granted(3, 1, "b");
    expect(judged(beside)).toMatch(/^invalid; foreign-release/);
  });
});

describe("a semaphore", () => {
  it("grants no more permits at a time than there are, also to clients that do nothing more", () => {
    const third = (atMs: number): string =>
      judged(
        recording()
          .acquire(0, 0, "a", { ttlMs: 1000, ...two })
          .acquire(10, 1, "b", { ttlMs: 2000, ...two })
          .acquire(atMs, 2, "c", { ttlMs: 1000, ...two }),
      );
    expect(third(986)).toMatch(/^invalid; double-grant 1,3,4,5/);
    expect(third(987)).toBe("valid");
  });

  it("counts several permits of one acquire", () => {
    const three = (permits: number): string =>
      judged(recording().acquire(0, 0, "a", { limit: 3, permits: 2 }).acquire(10, 1, "b", { limit: 3, permits }));
    expect(three(1)).toBe("valid");
    expect(three(2)).toMatch(/^invalid; double-grant/);
  });

  it("has the largest limit that was stated", () => {
    const history = recording().acquire(0, 0, "a", { limit: 3 }).acquire(10, 1, "b", two).acquire(20, 2, "c", two);
    expect(judged(history)).toBe("valid");
  });

  it("lets a permit be in use for longer by an extension, and for shorter", () => {
    const extended = (ttlMs: number): string =>
      judged(
        recording()
          .acquire(0, 0, "a", { ttlMs: 1000, limit: 1 })
          .extend(100, 0, "a", { ttlMs })
          .acquire(500, 1, "b", { ttlMs: 1000, limit: 1 }),
      );
    expect(extended(1000)).toMatch(/^invalid; double-grant/);
    expect(extended(300)).toBe("valid");
  });

  it("lets a release, a lost notice or the death of a client make room", () => {
    const begun = (): Recording => recording().acquire(0, 0, "a", { limit: 1 });
    const next = (history: Recording): string => judged(history.acquire(50, 1, "b", { limit: 1 }));
    expect(next(begun())).toMatch(/^invalid/);
    expect(next(begun().release(10, 0, "a"))).toBe("valid");
    expect(next(begun().leave(10, 0, "a").info(20, 0, "release"))).toBe("valid");
    expect(next(begun().lost(10, 0, "a"))).toBe("valid");
    expect(next(begun().fault(10, "kill-client", { processes: [0] }))).toBe("valid");
  });

  it("says who holds the permits", () => {
    const history = recording().acquire(0, 0, "a", two).acquire(10, 1, "b", two).acquire(20, 2, "c", two);
    expect(words(history)).toContain(
      "there was no room beside client-0 and client-1, whose leases cannot have expired",
    );
  });

  it("finds an order where what an owner is told later shows which permit was over", () => {
    const limit = { ttlMs: 100, ...two };
    const history = recording(4)
      .acquire(0, 0, "a", limit)
      .acquire(1, 1, "b", limit)
      .acquire(200, 2, "c", { ...limit, ttlMs: 1000 });
    expect(judged(history.release(210, 0, "a").release(220, 1, "b", false))).toBe("valid");
    // One of the two must have been over, and both were found.
    const both = recording(4)
      .acquire(0, 0, "a", limit)
      .acquire(1, 1, "b", limit)
      .acquire(200, 2, "c", { ...limit, ttlMs: 1000 });
    expect(judged(both.release(210, 0, "a").release(220, 1, "b"))).toMatch(/^invalid/);
  });

  it("is not judged by a lock without owners, nor if it is acquired without a limit too", () => {
    const history = (): Recording => recording().acquire(0, 0, "a", two);
    expect(judged(history().acquire(10, 1, "b"))).toBe("not-applicable");
    expect(judged(history().acquire(10, 1, "b", two), { model: "mutex" })).toBe("not-applicable");
  });
});

describe("a read-write lock", () => {
  it("lets no other hold beside a writer", () => {
    const beside = (first: Sharing, second: Sharing): string =>
      judged(
        recording()
          .acquire(0, 2, "r", reading)
          .release(5, 2, "r")
          .acquire(10, 0, "a", first)
          .acquire(20, 1, "b", second),
      );
    expect(beside(reading, reading)).toBe("valid");
    expect(beside(writing, reading)).toMatch(/^invalid; double-grant/);
    expect(beside(reading, writing)).toMatch(/^invalid; double-grant/);
  });

  it("is a lock of one owner as long as nobody asked to share it", () => {
    expect(judged(recording().acquire(0, 0, "a", writing).acquire(10, 1, "b", writing))).toMatch(
      /^invalid; double-grant/,
    );
  });

  it("counts a hold of unknown beginning as that of the client who uses it", () => {
    const history = recording()
      .seek(20, 2, { ttlMs: 410, ...writing })
      .seek(40, 0, { ttlMs: 410, ...writing })
      .info(80, 2, "acquire")
      .info(120, 0, "acquire")
      .seek(220, 1, { ttlMs: 130, ...reading })
      .seekExtension(260, 5, "w", 50)
      .granted(280, 1, "r")
      .extended(320, 5, "w");
    // The writer's lease cannot be over when the reader is granted the key, nor the reader's when the writer is answered.
    expect(judged(history)).toMatch(/^invalid/);
  });

  it("lets an owner value be of two clients, beside one of which the other may write", () => {
    // A lock that compares the value alone has one reader, and one that tells the clients apart two.
    const history = recording().acquire(0, 0, "s", reading).acquire(10, 1, "s", reading);
    expect(judged(history.acquire(20, 0, "w", writing))).toBe("valid");
  });

  it("lets one client hold in both modes", () => {
    const upgraded = (client: number): string =>
      judged(recording().acquire(0, 0, "a", reading).acquire(10, client, "b", writing));
    expect(upgraded(0)).toBe("valid");
    expect(upgraded(1)).toMatch(/^invalid/);
  });

  describe("where an acquire of unknown outcome may be of either of two clients", () => {
    /** Process 4 may go on as process 3 or 5, as nobody says how many clients there are, and not as both. */
    const begun = (): Recording =>
      new Recording()
        .seek(0, 4, reading)
        .info(1, 4, "acquire")
        .acquire(2, 5, "v", reading)
        .release(4, 5, "v")
        .release(6, 3, "none", false);

    it("counts the hold that it began as that of the client who is granted it", () => {
      const entered = begun().acquire(8, 3, "r", reading).seek(11, 5, writing).granted(13, 5, "w").release(15, 3, "r");
      expect(judged(entered)).toMatch(/^invalid/);
    });

    it("does not let the other client write beside it before", () => {
      const meanwhile = begun().seek(8, 5, writing).seek(9, 3, reading).granted(10, 3, "r").granted(11, 5, "w");
      expect(judged(meanwhile.release(12, 5, "w").release(14, 3, "r"))).toMatch(/^invalid/);
      const alone = begun().seek(8, 5, writing).seek(9, 3, reading).granted(11, 5, "w").release(12, 5, "w");
      expect(judged(alone.granted(14, 3, "r").release(15, 3, "r"))).toBe("valid");
    });
  });
});
