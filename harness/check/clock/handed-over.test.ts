/** Owner values that are handed from one process to another, also within one step of a coarse clock. */
import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function accused({ history }: Recording): readonly Property[] {
  const { properties } = checkHistory(history, { foreign: true });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

describe.each([[{ clients: 2 }], [{}]])("a hold that another process gives up within one step (%o)", (facts) => {
  const handed = (sharing: object): Recording =>
    new Recording(facts).seek(0, 1, sharing).granted(0, 1, "a").leave(0, 0, "a").left(0, 0);

  it.each([[{}], [{ limit: 1 }], [{ mode: "exclusive" as const }]])("is not known to last (%o)", (sharing) => {
    const next = handed(sharing).seek(100, 0, sharing).granted(100, 0, "b");
    expect(accused(next.leave(300, 0, "b").left(300, 0))).toEqual([]);
  });

  it("lasts if it is extended later", () => {
    const extended = handed({}).seekExtension(100, 1, "a", 1000).extended(100, 1, "a");
    const beside = extended.seek(200, 0).granted(200, 0, "b").leave(300, 0, "b").left(300, 0);
    expect(accused(beside.leave(400, 1, "a").left(400, 1))).toContain("lease-exclusion");
  });

  it("is not known to last if it is extended in the same step, by a third process", () => {
    const extended = new Recording(facts)
      .seek(0, 1)
      .granted(0, 1, "a")
      .seekExtension(0, 3, "a", 1000)
      .extended(0, 3, "a")
      .leave(0, 0, "a")
      .left(0, 0);
    expect(accused(extended.seek(200, 0).granted(200, 0, "b").leave(300, 0, "b").left(300, 0))).toEqual([]);
  });
});

describe.each([[{ clients: 4 }], [{}]])("an owner value that an extension draws (%o)", (facts) => {
  const extended = (recording: Recording, process: number, [before, after]: readonly [string, string]): Recording =>
    recording.seekExtension(20, process, before, 1000).extended(20, process, after);
  const held = (): Recording => new Recording(facts).seek(0, 0).granted(10, 0, "a");

  it("may be used in the same step by another process, and so may the one that is drawn for it then", () => {
    const twice = extended(extended(held(), 1, ["a", "b"]), 2, ["b", "c"]);
    expect(accused(twice.leave(20, 3, "c").left(30, 3).seek(40, 1).granted(50, 1, "d"))).toEqual([]);
  });

  it("is used after it was drawn in that step, in whatever order the lines are", () => {
    const next = (recording: Recording): Recording =>
      recording.seek(40, 1).granted(50, 1, "d").leave(60, 1, "d").left(60, 1);
    const last = held().leave(20, 3, "c").left(20, 3);
    expect(accused(next(extended(extended(last, 2, ["b", "c"]), 1, ["a", "b"])))).toEqual([]);
    // What else the process that drew it asks for then is not answered in that step.
    const twice = (): Recording => held().seek(10, 0, { inner: true }).granted(10, 0, "a");
    expect(accused(next(extended(twice(), 0, ["a", "b"]).leave(20, 0, "b").leave(20, 4, "b").left(20, 4)))).toEqual([]);
    const first = twice().leave(20, 4, "b").left(20, 4);
    expect(accused(next(extended(first, 0, ["a", "b"]).leave(20, 0, "b")))).toEqual([]);
  });

  it("may be one that was drawn before: the order of the lines decides then", () => {
    const there = extended(extended(held(), 1, ["a", "b"]), 2, ["b", "a"]);
    expect(accused(there.leave(30, 2, "a").left(40, 2))).toEqual([]);
  });

  it("may be used in the step in which the extension was asked for, of which nobody was told", () => {
    const unheard = held().seek(10, 1, { ttlMs: 1000 }).seekExtension(20, 0, "a", 1000);
    const released = unheard.leave(20, 4, "b").info(20, 4, "release").granted(20, 1, "c");
    expect(accused(released.leave(60, 1, "c").left(60, 1))).toEqual([]);
  });

  it("refers to nothing once another is drawn for it", () => {
    const twice = extended(extended(held(), 1, ["a", "b"]), 2, ["b", "c"]);
    expect(accused(twice.leave(30, 3, "b").left(40, 3))).toContain("linearizability");
  });

  it("says nothing of the order of others in that step", () => {
    const beside = extended(held(), 1, ["a", "b"]).leave(20, 2, "b").left(20, 2).seek(20, 3).granted(20, 3, "c");
    expect(accused(beside.leave(30, 3, "c").left(40, 3))).toEqual([]);
    // The process that drew it, or the one that uses it, did something else in that step.
    const busy = held().leave(10, 2, "z").left(20, 2, false);
    expect(accused(extended(busy, 1, ["a", "b"]).leave(30, 2, "b").left(40, 2))).toEqual([]);
  });
});

it("a hold that its client was granted again while another one gave it up is not known to last", () => {
  const again = (releasedAt: number): Recording =>
    new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .seek(420, 0)
      .leave(466, 1, "a")
      .granted(673, 0, "a")
      .left(releasedAt, 1)
      .acquire(releasedAt + 17, 1, "b")
      .release(releasedAt + 30, 1, "b");
  expect(accused(again(869))).toEqual([]);
  const before = new Recording({ clients: 2 }).acquire(0, 0, "a").seek(420, 0).leave(466, 1, "a").left(600, 1);
  expect(accused(before.granted(673, 0, "a").acquire(700, 1, "b").release(710, 1, "b"))).toEqual([]);
  // The next acquire is asked for after that release.
  const later = new Recording({ clients: 2 }).acquire(0, 0, "a").release(466, 1, "a").acquire(480, 0, "a");
  expect(accused(later.acquire(500, 1, "b").release(510, 1, "b"))).toContain("lease-exclusion");
});

it.each([
  ["within one step of the clock", 0, 0, 0],
  ["by an exact clock", 1.5, 5.25, 9.75],
])("a value may be replaced before its grant is answered: %s", (_, asked, answered, granted) => {
  const recorded = new Recording({ clients: 2 })
    .seek(0, 0)
    .seekExtension(asked, 1, "a", 500)
    .extended(answered, 1, "b")
    .granted(granted, 0, "a")
    .leave(100, 1, "b")
    .left(110, 1)
    .acquire(120, 0, "c")
    .release(130, 0, "c");
  expect(accused(recorded)).toEqual([]);
});
