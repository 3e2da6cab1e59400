import { expect, it } from "vitest";
import type { History, HistoryEvent } from "../../history/history.ts";
import { UNORDERED } from "../../history/unordered.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";
import { RenamedOwners } from "./renamed-owners.ts";

const NOTHING_KNOWN = {
  leaseEndOf: () => undefined,
  mayBeGranted: () => true,
  areOne: () => true,
  sameClient: () => true,
  mayContinue: () => true,
  mayFallSilent: false,
};

const recording = (): Recording => new Recording({ clients: 2, backend: "simulated" });

function wrong({ history }: { readonly history: History }): readonly string[] {
  const { properties } = checkHistory(history);
  return Object.entries(properties).flatMap(([property, { verdict }]) => (verdict === "invalid" ? [property] : []));
}

/** Client 0 holds until 100 ms as `a`, extends the lease to 551 ms, and is told the owner value for it. */
const extended = (owner: string): Recording =>
  recording().acquire(0, 0, "a", { ttlMs: 100 }).seekExtension(50, 0, "a", 500).extended(51, 0, owner);

it("an extension that gives a new owner value goes on with its hold, under that value", () => {
  for (const owner of ["a", "b"]) {
    expect(wrong(extended(owner).release(100, 0, owner).acquire(110, 1, "c"))).toEqual([]);
    expect(wrong(extended(owner).acquire(200, 1, "c").release(210, 1, "c").release(220, 0, owner))).toEqual([
      "mutual-exclusion",
      "lease-exclusion",
      "linearizability",
    ]);
  }
});

it("the value before refers to nothing any more, and may be the one of another hold later", () => {
  expect(wrong(extended("b").release(60, 0, "a", false).release(100, 0, "b"))).toEqual([]);
  expect(wrong(extended("a").release(60, 0, "a", false).release(100, 0, "a"))).toEqual(["linearizability"]);
  const again = extended("b").release(100, 0, "b").acquire(110, 0, "a").release(120, 0, "a").acquire(130, 1, "b");
  expect(wrong(again.release(140, 1, "b"))).toEqual([]);
  const thrice = extended("b").seekExtension(60, 0, "b", 500).extended(61, 0, "d").release(70, 0, "b", false);
  expect(wrong(thrice.release(100, 0, "d").acquire(110, 1, "c"))).toEqual([]);
});

it("an extension that answers with the value of another holder is not one of these", () => {
  const foreign = recording().acquire(0, 0, "a", { ttlMs: 20 }).acquire(40, 1, "b", { ttlMs: 400 });
  const answered = foreign.seekExtension(50, 0, "a", 400).extended(51, 0, "b").release(60, 1, "b");
  expect(wrong(answered)).toContain("linearizability");
});

it("an extension of unknown outcome may have drawn a value that nobody knows, if the lock ever draws one", () => {
  const unanswered = (recorded: Recording, owner: string): Recording =>
    recorded.seekExtension(60, 0, owner, 500).info(61, 0, "extend").release(70, 2, owner, false).fail(80, 1);
  expect(wrong(unanswered(extended("b"), "b"))).toEqual([]);
  expect(wrong(unanswered(extended("a"), "a"))).toEqual(["linearizability"]);
  expect(wrong(extended("b").release(70, 0, "b", false))).toEqual(["linearizability"]);
});

it("a release beside an extension of its own client may have come after it, when the value was replaced", () => {
  const asks = (owner: string): Recording => extended(owner).seekExtension(60, 0, owner, 500);
  const misses = (recorded: Recording, owner: string): Recording => recorded.release(62, 2, owner, false);
  expect(wrong(misses(asks("b"), "b").extended(70, 0, "c").release(80, 0, "c"))).toEqual([]);
  expect(wrong(misses(asks("a"), "a").extended(70, 0, "a").release(80, 0, "a"))).toEqual(["linearizability"]);
  expect(wrong(asks("b").leave(62, 2, "b").extended(64, 0, "c").left(66, 2, false))).toEqual([]);
  expect(wrong(asks("b").extended(64, 0, "b").release(66, 2, "b", false))).toEqual(["linearizability"]);
  expect(wrong(asks("b").failExtension(64, 0).release(66, 2, "b", false))).toEqual(["linearizability"]);
});

it("whether a lock draws new values is not known before an extension is answered", () => {
  const asked = recording().acquire(0, 0, "a", { ttlMs: 100 }).seekExtension(50, 0, "a", 500);
  expect(wrong(asked.info(51, 0, "extend").release(60, 2, "a", false))).toEqual([]);
});

it("the resource lists a write under the value that its author had when it wrote", () => {
  const fenced = recording().acquire(0, 0, "a", { fence: 7 }).write(10, 0, "a", "w1", { fence: 7 }).wrote(11, 0, 1);
  const twice = fenced.seekExtension(20, 0, "a", 500).extended(21, 0, "b").seekExtension(30, 0, "b", 500);
  const wrote = twice.extended(31, 0, "c").write(40, 0, "c", "w2", { fence: 7 }).wrote(41, 0, 2);
  const listed = (owners: readonly string[]): readonly string[] => {
    const audits = wrote.history.events.length;
    owners.forEach((owner, at) => wrote.audit(50, at + 1, `w${at + 1}`, { owner, fence: 7 }));
    const { header, events } = wrote.history;
    const found = wrong({ history: { header, events: [...events] } });
    (events as HistoryEvent[]).length = audits;
    return found;
  };
  expect(listed(["a", "c"])).toEqual([]);
  expect(listed(["b", "c"])).toEqual([]);
  expect(listed(["d", "c"])).toEqual(["stale-writes"]);
});

it.each([
  ["at once", true],
  ["at the end", false],
])(
  "a client that begins each hold under one value is not another owner after an extension: the resource lists it %s",
  (_, atOnce) => {
    const recorded = recording();
    const later: (() => void)[] = [];
    const write = (ms: number, owner: string, position: number, fence: number): void => {
      recorded.write(ms, 0, owner, `w${position}`, { fence }).wrote(ms + 1, 0, position);
      const list = (): unknown => recorded.audit(atOnce ? ms + 1 : 1000, position, `w${position}`, { owner, fence });
      if (atOnce) list();
      else later.push(list);
    };
    for (let number = 0; number < 3; number += 1) {
      const ms = number * 100;
      recorded.acquire(ms, 0, "a", { fence: number });
      write(ms + 10, "a", 2 * number + 1, number);
      recorded.seekExtension(ms + 20, 0, "a", 1000).extended(ms + 21, 0, `a${number}`);
      write(ms + 30, `a${number}`, 2 * number + 2, number);
      recorded.release(ms + 40, 0, `a${number}`);
    }
    for (const list of later) list();
    expect(wrong(recorded)).toEqual([]);
  },
);

it("values of holds that are over are forgotten first, however long another hold lasts", () => {
  const held = new Set(["long"]);
  const owners = new RenamedOwners(
    { ...NOTHING_KNOWN, leaseEndOf: (_, owner) => (held.has(owner) ? 1 : undefined) },
    4,
  );
  const extend = (asked: string, drawn: string): void => {
    const { events } = recording().seekExtension(0, 0, asked, 100).extended(1, 0, drawn).history;
    for (const event of events) owners.named(event);
  };
  const nameOf = (owner: string): unknown =>
    recording()
      .leave(0, 0, owner)
      .history.events.map((event) => owners.named(event).value)[0];
  extend("long", "later");
  for (let number = 0; number < 20; number += 1) extend(`a${number}`, `b${number}`);
  expect([nameOf("later"), nameOf("long")]).toEqual([{ owner: "long" }, { owner: "long (replaced)" }]);
  expect([nameOf("b0"), nameOf("b19")]).toEqual([{ owner: "b0" }, { owner: "a19" }]);
});

it.each([
  ["until its lease is over, as long as nobody knows whose the first was", false, [{ owner: "a" }, { owner: "late" }]],
  ["no more, once its own client has used one", true, [{ owner: "other" }, { owner: "late" }]],
])("a hold that is over has further values %s", (_, areOne, names) => {
  let end: number | undefined = 100_000_000;
  const mayBeGranted = (_key: string, owner: string): boolean => owner === "a";
  const known = { leaseEndOf: () => end, mayBeGranted, areOne: () => areOne };
  const owners = new RenamedOwners({ ...NOTHING_KNOWN, ...known });
  const asked = recording().seekExtension(0, 0, "a", 100).info(1, 0, "extend").leave(2, 2, "drawn").history.events;
  const { events } = recording().leave(99, 4, "other").leave(100, 4, "late").history;
  expect(asked.map((event) => owners.named(event).value).at(-1)).toEqual({ owner: "a" });
  end = undefined;
  expect(events.map((event) => owners.named(event).value)).toEqual(names);
});

it("an extension whose place among others is not known leaves them the value before it", () => {
  const { events } = recording()
    .seekExtension(0, 0, "a", 100)
    .extended(1, 0, "b")
    .leave(2, 1, "a")
    .leave(2, 0, "b").history;
  const namesIf = (reason: string | undefined): readonly unknown[] => {
    const owners = new RenamedOwners(NOTHING_KNOWN);
    const answered = events.map((event): HistoryEvent => {
      if (event.type !== "ok" || event.f !== "extend" || reason === undefined) return event;
      return { ...event, type: "info", value: { ...event.value, reason } };
    });
    return answered.map((event) => owners.named(event).value).slice(2);
  };
  expect(namesIf(undefined)).toEqual([{ owner: "a (replaced)" }, { owner: "a" }]);
  expect(namesIf(UNORDERED)).toEqual([{ owner: "a" }, { owner: "a" }]);
  expect(namesIf("timeout")).toEqual([{ owner: "a" }, { owner: "b" }]);
});

it("several may hold, so a grant under the value before may be the first of a second hold", () => {
  const two = { limit: 2, ttlMs: 300 };
  const asked = (draws: boolean): Recording => {
    const before = new Recording({ clients: 3, backend: "simulated" }).acquire(0, 2, "a", two);
    if (!draws) before.seekExtension(10, 2, "a", 300).extended(11, 2, "a");
    return before.seekExtension(40, 2, "a", 300).info(270, 2, "extend");
  };
  // The hold under another value is over 300 ms after its extension; if the grant was a re-entry, something of it is left.
  const again = (draws: boolean): Recording =>
    asked(draws)
      .seek(275, 5, { ...two, inner: true })
      .granted(277, 5, "a")
      .release(355, 5, "a")
      .acquire(510, 1, "b", { ...two, permits: 2 });
  expect(wrong(again(true))).toEqual([]);
  expect(wrong(again(false))).toEqual(["lease-exclusion", "linearizability"]);
});

it("a value of nobody's is the new one of a hold that lasts rather than of one that was given back", () => {
  // Process 5 may be a client of its own, and 6 anybody's: the history does not say how many there are.
  const recorded = (last: string): Recording =>
    new Recording({})
      .acquire(118, 1, "a", { ttlMs: 300 })
      .seekExtension(250, 1, "a", 300)
      .info(251, 1, "extend")
      .release(252, 5, "drawn")
      .acquire(268, 3, "b", { ttlMs: 300 })
      .seek(317, 5, { ttlMs: 300 })
      .seekExtension(329, 3, "b", 300)
      .info(330, 3, "extend")
      .release(331, 6, last)
      .granted(334, 5, "c");
  expect(wrong(recorded("another"))).toEqual([]);
  expect(wrong(recorded("drawn"))).toEqual(["lease-exclusion", "owner-release", "linearizability"]);
});

it("a hold has a new value too whose grant nobody was told", () => {
  const recorded = (last: string): Recording =>
    new Recording({ clients: 2 })
      .seek(0, 0, { ttlMs: 200 })
      .info(1, 0, "acquire")
      .seekExtension(170, 2, "a", 200)
      .extended(171, 2, "b")
      .seekExtension(310, 2, "b", 200)
      .info(311, 2, "extend")
      .release(312, last === "c" ? 4 : 1, last);
  expect(wrong(recorded("c"))).toEqual([]);
  // The other client has nothing of that hold.
  expect(wrong(recorded("d"))).toEqual(["linearizability"]);
});
