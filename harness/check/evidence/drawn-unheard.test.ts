/** A client that does not know the outcome of its extension may go on under the new owner value that it drew for it. */
import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function accused({ history }: Recording): readonly Property[] {
  const { properties } = checkHistory(history, { foreign: true });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

/** Client 0 is granted the key, and asks to extend its lease, without an answer. It goes on as process 2. */
function unheard(): Recording {
  return new Recording({ clients: 2 }).acquire(0, 0, "a").seekExtension(10, 0, "a", 1000).info(20, 0, "extend");
}

/** Client 1 holds the key for 10 ms. */
function next(recording: Recording, atMs: number): Recording {
  return recording.acquire(atMs, 1, "b").release(atMs + 10, 1, "b");
}

it("releases under it", () => {
  expect(accused(next(unheard().release(30, 2, "drawn"), 40))).toEqual([]);
});

it("releases under it, although the extension had no effect", () => {
  expect(accused(next(unheard().release(30, 2, "drawn", false).fail(40, 1), 1100))).toEqual([]);
});

it("extends under it and draws another", () => {
  const extended = unheard().seekExtension(30, 2, "drawn", 1000).extended(40, 2, "later");
  expect(accused(next(extended.release(50, 2, "later"), 60))).toEqual([]);
});

it("and still holds, as long as it has not released", () => {
  const extended = unheard().seekExtension(30, 2, "drawn", 1000).extended(40, 2, "later");
  expect(accused(next(extended, 60).release(80, 2, "later"))).toEqual([
    "mutual-exclusion",
    "lease-exclusion",
    "linearizability",
  ]);
});

it.each([
  ["by another client", unheard().release(30, 1, "drawn")],
  [
    "of a value that was drawn before",
    new Recording({ clients: 2 })
      .acquire(0, 0, "old")
      .seekExtension(2, 0, "old", 1000)
      .extended(3, 0, "drawn")
      .release(4, 0, "drawn")
      .acquire(6, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 2, "drawn"),
  ],
  ["when its hold is over", next(unheard(), 2000).acquire(2020, 1, "c").release(2030, 2, "drawn")],
  [
    "of a lock that was seen to keep its values",
    new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .extend(5, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 2, "drawn"),
  ],
  [
    "of a value that was granted before",
    new Recording({ clients: 2 })
      .acquire(0, 0, "old")
      .release(2, 0, "old")
      .acquire(5, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 2, "old"),
  ],
])("a release %s is accused", (_, recording) => {
  expect(accused(recording)).toContain("owner-release");
});

it("gives back a permit under it, which may also be one of before the recording", () => {
  const limited = new Recording({ clients: 2 }).acquire(0, 0, "a", { limit: 2 }).seekExtension(10, 0, "a", 1000);
  const released = limited.info(20, 0, "extend").release(30, 2, "drawn");
  expect(accused(released.acquire(40, 1, "b", { limit: 2 }).acquire(50, 1, "c", { limit: 2 }))).toEqual([]);
  expect(accused(released.release(60, 1, "b").release(70, 2, "a"))).toEqual([]);
});

it("also where the client does not know the outcome of an acquire", () => {
  const before = new Recording({ clients: 2 }).seek(0, 0).info(1, 0, "acquire").acquire(2, 2, "a");
  const drawn = before.seekExtension(10, 2, "a", 1000).info(20, 2, "extend").release(30, 4, "drawn");
  expect(accused(next(drawn, 40))).toEqual([]);
  const later = unheard().seek(1100, 2).info(1110, 2, "acquire").release(1120, 4, "of that acquire");
  expect(accused(next(later, 1130))).toEqual([]);
});

describe.each([
  ["whose numbers tell the clients", { clients: 2 }],
  ["of which nobody says how many clients ran", {}],
])("in a recording %s", (_, facts) => {
  const asked = (more: object = {}): Recording =>
    new Recording({ ...facts, ...more }).acquire(0, 0, "a").seekExtension(10, 0, "a", 1000);
  const other = (recording: Recording, atMs: number): Recording =>
    recording.acquire(atMs, 3, "b").release(atMs + 10, 3, "b");

  it("its client releases under it, although nothing says that the extension was never answered", () => {
    expect(accused(other(asked().release(30, 2, "drawn"), 40))).toEqual([]);
    expect(accused(other(asked().release(30, 2, "drawn", false).fail(40, 3), 1100))).toEqual([]);
  });

  it.each([
    ["is told", (recording: Recording) => recording.info(20, 0, "extend")],
    ["is not told", (recording: Recording) => recording],
  ])("a reentrant lock is entered under it, where the recording %s that nobody knows the outcome", (__, unheardIn) => {
    const reentered = (): Recording => unheardIn(asked({ reentrant: true })).reenter(30, 2, "drawn");
    expect(accused(other(reentered().release(40, 2, "drawn").release(50, 2, "drawn"), 60))).toEqual([]);
    expect(accused(other(reentered().release(40, 2, "drawn"), 50).release(80, 2, "drawn"))).toContain(
      "linearizability",
    );
  });

  it("a reentrant lock that was seen to keep its values is not entered under another", () => {
    const kept = new Recording({ ...facts, reentrant: true }).acquire(0, 0, "a").extend(5, 0, "a");
    const unanswered = kept.seekExtension(10, 0, "a", 1000).info(20, 0, "extend").reenter(30, 2, "drawn");
    expect(accused(unanswered)).toContain("lease-exclusion");
  });

  it("a reentrant lock whose extension was answered is not entered under another", () => {
    const answered = asked({ reentrant: true }).extended(12, 0, "a2").reenter(30, 0, "drawn");
    expect(accused(answered)).toContain("lease-exclusion");
  });
});

it("it is not known whether the lock was granted twice, where another client may have been granted the drawn value", () => {
  const reentered = (facts: object): Recording =>
    new Recording({ ...facts, reentrant: true })
      .acquire(0, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .reenter(30, 2, "drawn");
  const verdicts = (facts: object): readonly unknown[] => {
    const { properties } = checkHistory(reentered(facts).history, { foreign: true });
    return [properties["lease-exclusion"]?.verdict, properties.linearizability?.verdict];
  };
  expect(verdicts({})).toEqual(["unknown", "unknown"]);
  expect(verdicts({ clients: 2 })).toEqual(["valid", "valid"]);
});

it.each([[{}], [{ clients: 2 }]])("a process that acts beside an extension has its own hold: %j", (facts) => {
  const asked = (more: object): Recording =>
    new Recording({ ...facts, ...more }).acquire(0, 0, "a").seekExtension(10, 0, "a", 1000);
  expect(accused(asked({ reentrant: true }).reenter(12, 2, "b").extended(20, 0, "a2"))).toContain("lease-exclusion");
  expect(accused(asked({}).release(12, 2, "b").extended(20, 0, "a2").acquire(30, 3, "c"))).toContain("lease-exclusion");
});

it("a value is not of a hold whose lease is over, unless it is certainly of the same client", () => {
  const two = { ttlMs: 100, limit: 2 };
  const asked = (): Recording => new Recording().acquire(0, 0, "a", two).seekExtension(10, 0, "a", 100);
  const over = (): Recording =>
    asked().info(20, 0, "extend").acquire(300, 1, "b", two).acquire(310, 2, "c", two).release(320, 2, "c");
  const sought = over().release(330, 1, "b").seek(400, 1, two).info(460, 1, "acquire");
  expect(accused(sought.release(470, 3, "of that acquire"))).toEqual([]);
  expect(accused(over().release(330, 3, "from before"))).toEqual([]);
  const inForce = asked().info(20, 0, "extend").release(50, 3, "drawn");
  expect(accused(inForce.acquire(60, 4, "e", two).acquire(70, 5, "f", two))).toEqual([]);
  const known = new Recording({ clients: 3 }).acquire(0, 0, "a", { ttlMs: 100 }).seekExtension(10, 0, "a", 100);
  const overrun = known.info(20, 0, "extend").acquire(300, 1, "b").release(310, 3, "drawn", false);
  expect(accused(overrun.release(320, 1, "b"))).toEqual(["mutual-exclusion"]);
});

describe("a hold that goes on under a value which the recording made up", () => {
  const unheard = (recording: Recording): Recording =>
    recording.acquire(40, 9, "a").seekExtension(60, 9, "a", 1000).info(60.5, 9, "extend").release(61, 15, "drawn");

  it.each([
    [9, {}],
    [6, { clients: 3 }],
  ])("is known by the value that an extension drew, after an unknown release by process %i: %j", (process, facts) => {
    const before = new Recording(facts)
      .acquire(0.1, process, "z")
      .leave(11.5, process, "z")
      .info(12.1, process, "release");
    expect(accused(next(unheard(before), 70))).toEqual([]);
  });

  it("is known by the value that an extension drew, where its client held the key already", () => {
    expect(accused(next(unheard(new Recording().acquire(0.1, 9, "z")), 70))).toEqual([]);
  });
});

it("a value may be of a hold whose lease may last, although another request may have cut it", () => {
  const asked = new Recording().seek(45.5, 5, { ttlMs: 60 }).seek(105, 9, { ttlMs: 60 }).granted(120, 9, "a");
  const drawn = asked.seekExtension(155, 9, "a", 60).info(155.3, 9, "extend").release(156, 14, "drawn");
  expect(accused(drawn.acquire(165, 15, "b", { ttlMs: 60 }))).toEqual([]);
});

it("a client goes on within a tick of a coarse clock after an extension that was never answered", () => {
  const asked = new Recording({ clients: 2 }).acquire(0, 0, "a").seekExtension(20, 0, "a", 1000);
  expect(accused(next(asked.leave(20, 2, "drawn").left(22, 2), 40))).toEqual([]);
});

describe("where nobody knows which process is whose client, a release under a value that nobody was granted", () => {
  const asked = (): Recording => new Recording().acquire(0, 0, "a").seek(5, 1).info(8, 1, "acquire");
  const unanswered = (): Recording => asked().seekExtension(10, 0, "a", 1000).info(20, 0, "extend");
  const given = { of: "that acquire" };

  it.each([
    ["finds nothing", (recording: Recording) => recording.release(30, 3, given.of, false)],
    ["has an unknown outcome", (recording: Recording) => recording.leave(30, 3, given.of).info(31, 3, "release")],
  ])("that %s may be of another client, so that the drawn value is used later", (_, released) => {
    expect(accused(next(released(unanswered()).release(40, 5, "drawn"), 50))).toEqual([]);
    expect(accused(next(released(released(unanswered())).release(40, 5, "drawn"), 50))).toEqual([]);
  });
});

it("a lock that keeps its values where it extends several keys may draw them where it extends one", () => {
  const of = (several: boolean): Recording =>
    new Recording({ clients: 2 })
      .acquire(0, 0, "s", several ? { alsoKeys: ["other"] } : {})
      .extend(2, 0, "s")
      .release(4, 0, "s")
      .acquire(6, 0, "a", several ? {} : { alsoKeys: ["other"] })
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 2, "drawn");
  expect(accused(of(true))).toEqual([]);
  expect(accused(of(false))).toEqual([]);
  const both = new Recording({ clients: 2 }).acquire(0, 0, "s", { alsoKeys: ["other"] }).release(2, 0, "s");
  const kept = both.acquire(4, 0, "a").extend(6, 0, "a").seekExtension(10, 0, "a", 1000).info(20, 0, "extend");
  expect(accused(kept.release(30, 2, "drawn"))).toContain("owner-release");
});
