/** A client that acquires again what it holds, in histories that another program recorded: it may renew its lease, or enter again. */
import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const TTL = { ttlMs: 1000 };

function accused(recording: Recording, foreign = true): readonly Property[] {
  const { properties } = checkHistory(recording.history, { foreign });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

/** A client is granted the key twice, the second time as `again`. */
function twice(again: string, facts: object = { clients: 2 }, fence?: number): Recording {
  const recording = new Recording(facts);
  recording.acquire(0, 0, "a", { ...TTL, ...(fence === undefined ? {} : { fence: 1 }) });
  return recording.acquire(10, 0, again, { ...TTL, ...(fence === undefined ? {} : { fence }) });
}

const handedOver = (recording: Recording): Recording => recording.acquire(40, 1, "c", TTL).release(50, 1, "c");

describe.each([["a"], ["a2"]])("a hold that is granted again under the value %s", (again) => {
  it("may end by one release, or by two", () => {
    expect(accused(handedOver(twice(again).release(20, 0, again)))).toEqual([]);
    expect(accused(handedOver(twice(again).release(20, 0, again).release(30, 0, "a")))).toEqual([]);
    expect(accused(handedOver(twice(again).release(20, 0, again).release(30, 0, "a", false)))).toEqual([]);
  });

  it("is held until the first of them", () => {
    const before = twice(again).acquire(15, 1, "c", TTL).release(20, 0, again).release(30, 1, "c");
    expect(accused(before)).toEqual(expect.arrayContaining(["lease-exclusion", "linearizability"]));
  });

  it("is over after as many as there were grants", () => {
    const first = new Recording({ clients: 2 }).acquire(0, 1, "b", TTL).release(2, 1, "b");
    const thrice = first
      .acquire(5, 0, "a", TTL)
      .acquire(10, 0, again, TTL)
      .release(20, 0, again)
      .release(25, 0, "a")
      .release(30, 0, "a");
    expect(accused(handedOver(thrice))).toContain("linearizability");
  });

  it("may keep others out after the first release, for as long as its client holds", () => {
    const kept = twice(again).release(20, 0, again);
    for (let at = 4000; at < 9000; at += 1000) kept.fail(at, 1);
    expect(accused(kept)).not.toContain("deadlock-freedom");
    const given = twice(again).release(20, 0, again).release(30, 0, "a");
    for (let at = 4000; at < 9000; at += 1000) given.fail(at, 1);
    expect(accused(given)).toContain("deadlock-freedom");
  });

  it("may have a larger fencing token, and no smaller one", () => {
    expect(accused(twice(again, { clients: 2 }, 1).release(20, 0, again))).toEqual([]);
    expect(accused(twice(again, { clients: 2 }, 2).release(20, 0, again))).toEqual([]);
    expect(accused(twice(again, { clients: 2 }, 0).release(20, 0, again))).toContain("fencing-tokens");
  });

  it("is granted again where nobody says how many clients there are", () => {
    expect(accused(handedOver(twice(again, {}).release(20, 0, again)))).toEqual([]);
  });
});

it("counts as entered again where the history says so", () => {
  const strict = ["lease-exclusion", "linearizability"] as const;
  const released = (facts: object): Recording => handedOver(twice("a", facts).release(20, 0, "a"));
  expect(accused(released({ clients: 2, backend: "simulated" }))).toEqual(expect.arrayContaining([...strict]));
  expect(accused(released({ clients: 2, reentrant: true }))).toEqual(expect.arrayContaining([...strict]));
  expect(accused(released({ clients: 2 }), false)).toEqual(expect.arrayContaining([...strict]));
  const stated = new Recording({ clients: 2 }).acquire(0, 0, "a", TTL).reenter(10, 0, "a", TTL).release(20, 0, "a");
  expect(accused(handedOver(stated))).toEqual(expect.arrayContaining([...strict]));
});

it("says what it leaves open", () => {
  const { remarks } = checkHistory(twice("a").release(20, 0, "a").history, { foreign: true });
  expect(remarks.join()).toContain("as a renewal, or as a re-entry?");
});

it("finds that another client was granted the key beside it, and that another client released it", () => {
  expect(accused(twice("a2").acquire(15, 1, "c", TTL).release(30, 0, "a2"))).toContain("mutual-exclusion");
  const foreign = twice("a").acquire(3000, 1, "c", TTL).release(3010, 0, "a");
  expect(accused(foreign)).toContain("owner-release");
});

it("may have several permits, or one", () => {
  const counted = { ...TTL, limit: 2 };
  const begun = (): Recording => new Recording({ clients: 3 }).acquire(0, 0, "a", counted).acquire(10, 0, "a", counted);
  const both = begun().release(20, 0, "a").acquire(30, 1, "b", counted).acquire(40, 2, "c", counted);
  expect(accused(both)).toEqual([]);
  const many = begun().acquire(12, 1, "b", counted).acquire(14, 2, "c", counted).release(20, 0, "a");
  expect(accused(many.release(21, 1, "b").release(22, 2, "c"))).toContain("lease-exclusion");
});

describe("an older value whose release finds nothing", () => {
  const reader = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a", { ...TTL, mode: "shared" });
  const writing = { ...TTL, mode: "exclusive" } as const;
  const next = (recording: Recording): Recording => recording.acquire(60, 1, "b", { ...TTL, mode: "shared" });

  it("may have gone on under a value that nobody was told, or under one that is known", () => {
    const unknown = reader().seek(10, 0, writing).info(20, 0, "acquire").release(30, 2, "a", false);
    expect(accused(next(unknown))).toEqual([]);
    expect(accused(reader().acquire(10, 0, "w", writing).release(30, 0, "a", false).release(40, 0, "w"))).toEqual([]);
    expect(accused(reader().seek(10, 0, writing).release(30, 2, "a", false))).toEqual([]);
  });

  it("shows a loss where no such acquire was asked for, or it failed", () => {
    expect(accused(reader().release(30, 0, "a", false))).toContain("linearizability");
    expect(accused(reader().seek(10, 0, writing).refused(20, 0).release(30, 0, "a", false))).toContain(
      "linearizability",
    );
    const others = reader().seek(10, 1, writing).info(20, 1, "acquire").release(30, 0, "a", false);
    expect(accused(others)).toContain("linearizability");
  });

  it("may have been renewed under a value that nobody was told", () => {
    const plain = new Recording({ clients: 2 }).acquire(0, 0, "a", TTL).seek(10, 0, TTL).info(20, 0, "acquire");
    expect(accused(plain.release(30, 2, "a", false))).toEqual([]);
    const strict = new Recording({ clients: 2, reentrant: true }).acquire(0, 0, "a", TTL).seek(10, 0, TTL);
    expect(accused(strict.info(20, 0, "acquire").release(30, 2, "a", false))).toContain("linearizability");
  });
});

describe("a hold that an acquire of unknown outcome may have renewed", () => {
  const held = (facts: object = { clients: 2 }): Recording =>
    new Recording(facts).acquire(0, 0, "a", { ttlMs: 20, fence: 1 }).seek(10, 0, { ttlMs: 200 });

  it("may go on under another value after the lease that is known", () => {
    const renewed = held().info(15, 0, "acquire");
    expect(accused(renewed.acquire(100, 2, "b", { ...TTL, fence: 1 }).release(110, 2, "b"))).toEqual([]);
  });

  it("may do so where that acquire was never answered", () => {
    expect(
      accused(
        held()
          .acquire(100, 2, "b", { ...TTL, fence: 1 })
          .release(110, 2, "b"),
      ),
    ).toEqual([]);
    expect(
      accused(
        held({})
          .acquire(100, 2, "b", { ...TTL, fence: 1 })
          .release(110, 2, "b"),
      ),
    ).toEqual([]);
  });

  it("may be gone under its first value, and go on under another", () => {
    const missed = held().info(15, 0, "acquire").release(18, 2, "a", false);
    expect(accused(missed.acquire(30, 2, "b", { ...TTL, fence: 1 }).release(40, 2, "b"))).toEqual([]);
  });

  it("keeps the value for which another one stands, also after it was released", () => {
    const released = held({})
      .info(15, 0, "acquire")
      .acquire(100, 2, "b", { ...TTL, fence: 2 })
      .leave(110, 2, "b");
    expect(accused(released.acquire(200, 4, "b", { ...TTL, fence: 2 }))).toEqual([]);
  });

  it("is over once another client was granted the key", () => {
    const renewed = held({ clients: 2 }).info(15, 0, "acquire");
    const others = renewed.acquire(300, 1, "c", { ...TTL, fence: 2 }).release(310, 1, "c");
    expect(accused(others.acquire(400, 2, "b", { ...TTL, fence: 1 }))).toContain("fencing-tokens");
  });

  it("is over where its client certainly asked for nothing", () => {
    const expired = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 20, fence: 1 });
    expect(accused(expired.acquire(100, 0, "b", { ...TTL, fence: 1 }))).toContain("fencing-tokens");
  });
});

it("does not take the value of a hold that is over for the one that a client without a number holds", () => {
  const first = new Recording().acquire(0, 0, "a", { ttlMs: 20, fence: 1 }).seek(10, 0, { ttlMs: 20 });
  first
    .info(15, 0, "acquire")
    .acquire(100, 1, "b", { ...TTL, fence: 2 })
    .seek(110, 1, TTL)
    .info(115, 1, "acquire");
  expect(accused(first.acquire(120, 2, "b2", { ...TTL, fence: 2 }).release(130, 2, "b2"))).toEqual([]);
});

it("goes on beside a grant that may have come before it", () => {
  const late = new Recording({ clients: 2 }).seek(0, 1, { ttlMs: 20 }).acquire(100, 0, "a", TTL).granted(110, 1, "c");
  const renewed = late.acquire(120, 0, "a2", TTL).acquire(130, 0, "a3", TTL).release(140, 0, "a3");
  // The late grant itself was over on arrival: only its client can have noticed.
  expect(accused(renewed)).toEqual(["mutual-exclusion"]);
});

it("goes on where another client gave up an older hold meanwhile", () => {
  const older = new Recording({ clients: 2 }).acquire(0, 1, "z", { ttlMs: 20, fence: 1 });
  const left = older
    .acquire(100, 0, "a", { ...TTL, fence: 2 })
    .leave(110, 0, "a")
    .info(120, 0, "release");
  const missed = left.release(130, 1, "z", false).acquire(140, 2, "b", { ...TTL, fence: 2 });
  expect(accused(missed)).toEqual(["mutual-exclusion"]);
});

it("goes on where a late answer hides that it was granted before another", () => {
  const first = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 20, fence: 1 });
  const late = first.seek(15, 0, { ttlMs: 20 }).acquire(40, 1, "c", { ...TTL, fence: 2 });
  const told = late.granted(45, 0, "a2", { fence: 1 }).release(50, 1, "c");
  expect(accused(told)).toEqual(["mutual-exclusion"]);
});

describe("a grant to another process, while a hold is in force whose client does not know an outcome,", () => {
  const beside = (outcome: "info" | undefined, facts: object): Recording => {
    const recording = new Recording(facts).acquire(0, 0, "a", { ttlMs: 10_000 });
    recording.seekExtension(500, 0, "a", 10_000);
    if (outcome === "info") recording.info(700, 0, "extend");
    return recording.acquire(2000, 1, "b", { ttlMs: 10_000 }).release(2500, 1, "b");
  };
  const judged = (recording: Recording) => checkHistory(recording.history, { foreign: true }).properties;

  it.each([["info"], [undefined]] as const)(
    "is undecided where the history does not say how many clients ran (%s)",
    (outcome) => {
      for (const property of ["lease-exclusion", "linearizability"] as const) {
        expect(judged(beside(outcome, {}))[property]).toMatchObject({
          verdict: "unknown",
          reason: expect.stringMatching(
            /^process 1 was granted k at 2,00\d ms, while process 0 held it.*Add `clients`/,
          ) as string,
        });
      }
    },
  );

  it("is decided where the history says which process goes on", () => {
    const continued = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 10_000 });
    continued.seekExtension(500, 0, "a", 10_000).info(700, 0, "extend");
    const { properties } = checkHistory(
      continued.acquire(2000, 2, "b", { ttlMs: 10_000 }).release(2500, 2, "b").history,
      {
        foreign: true,
      },
    );
    expect(properties["lease-exclusion"]).toMatchObject({ verdict: "valid" });
    expect(properties.linearizability).toMatchObject({ verdict: "valid" });
  });

  it("is a violation where it does", () => {
    expect(accused(beside(undefined, { clients: 2 }))).toEqual(
      expect.arrayContaining(["lease-exclusion", "linearizability"]),
    );
  });
});

it("a hold is not renewed by its client when another one was granted the key since", () => {
  const remarksOf = (between: (recording: Recording) => Recording): readonly string[] => {
    const recording = new Recording({ clients: 2 }).acquire(0, 0, "a", TTL);
    recording.seekExtension(500, 0, "a", 1000).info(700, 0, "extend");
    return checkHistory(between(recording).acquire(6000, 2, "b", TTL).release(6500, 2, "b").history, { foreign: true })
      .remarks;
  };
  const again = expect.stringContaining("was granted again to a client that held it") as string;
  expect(remarksOf((recording) => recording)).toContainEqual(again);
  expect(remarksOf((recording) => recording.acquire(5000, 1, "c", TTL).release(5500, 1, "c"))).not.toContainEqual(
    again,
  );
});

it("is no other value of an older hold where a hold was found under it before it was granted", () => {
  const found = (again: string): readonly Property[] =>
    accused(
      new Recording({ clients: 2 })
        .acquire(0, 0, "a", TTL)
        .release(20, 0, "a")
        .seek(30, 0, TTL)
        .extend(50, 2, "b", TTL)
        .seek(100, 2, { ...TTL, inner: true })
        .granted(300, 2, again),
    );
  expect(found("b")).toEqual([]);
  expect(found("a")).toContain("linearizability");
});

it("goes on where the value that it was granted before finds nothing: that one may refer to nothing any more", () => {
  const found = (first: string): readonly Property[] =>
    accused(
      new Recording({ clients: 1 })
        .acquire(0, 0, first, { ...TTL, fence: 1 })
        .seek(990, 0, TTL)
        .granted(1100, 0, "b", { fence: 2 })
        .release(1200, 0, first, false)
        .acquire(1300, 0, "b", { ...TTL, fence: 2 }),
    );
  expect(found("a")).toEqual([]);
  expect(found("b")).toContain("fencing-tokens");
});

it("is no other value of an older hold where it is used before it is granted", () => {
  const used = (extension: string): readonly Property[] =>
    accused(
      new Recording({ clients: 1 })
        .seek(0, 1, TTL)
        .leave(10, 0, "a")
        .left(20, 0)
        .seekExtension(30, 0, extension, 1000)
        .granted(40, 1, "a")
        .seek(45, 1, TTL)
        .granted(50, 1, "b")
        .extended(60, 0, extension),
    );
  expect(used("b")).toEqual([]);
  expect(used("c")).toContain("linearizability");
});

it("a hold that was extended is not renewed after another client was granted the key, which asked as the extension was answered", () => {
  const TTL_200 = { ttlMs: 200 };
  const recording = new Recording({ clients: 2 }).seek(700, 1, TTL_200).granted(700, 1, "a", { validForMs: 199 });
  recording.seekExtension(800, 1, "a", 80).extended(800, 1, "a", { validForMs: 79 });
  recording.seek(800, 0, TTL_200).granted(900, 0, "b", { validForMs: 199 });
  recording.seek(1000, 1, TTL_200).seek(1000, 0, TTL_200).granted(1000, 0, "b", { validForMs: 199 });
  recording.leave(1000, 0, "b").left(1000, 0).leave(1000, 0, "b").left(1000, 0).granted(1000, 1, "c");
  recording.seek(1000, 1, TTL_200).granted(1000, 1, "c", { validForMs: 199 });
  recording.leave(1100, 1, "c").left(1100, 1).leave(1100, 1, "c").left(1100, 1);
  expect(accused(recording)).toEqual([]);
});

it("a hold that was granted anew after another client's may be renewed", () => {
  const short = { ttlMs: 100 };
  const anew = new Recording({ clients: 2 }).acquire(0, 0, "a", short).seekExtension(10, 0, "a", 1000);
  anew.info(20, 0, "extend").acquire(1500, 1, "b").release(1510, 1, "b").acquire(1520, 2, "a");
  expect(accused(anew.acquire(1530, 2, "a2").release(1540, 2, "a").acquire(1550, 1, "c"))).toEqual([]);
  const again = new Recording({ clients: 2 }).acquire(0, 0, "a").acquire(10, 0, "a2").release(20, 0, "a");
  again.acquire(30, 1, "b").release(40, 1, "b").acquire(50, 0, "a2").acquire(60, 0, "a3").release(70, 0, "a");
  expect(accused(again.acquire(80, 1, "c"))).toEqual([]);
});

it("of a permit that was granted twice one release may leave the older entry, which a later grant for more permits enters again", () => {
  const [one, two] = [{ limit: 2 }, { limit: 2, permits: 2 }];
  const released = (): Recording =>
    new Recording({ clients: 2 }).acquire(0, 0, "a", one).acquire(10, 0, "a", one).release(20, 0, "a");
  const beside = (recording: Recording): Recording => recording.acquire(40, 1, "b", one).release(50, 1, "b");
  expect(accused(beside(released().acquire(30, 0, "a", two)))).toEqual([]);
  expect(accused(beside(released().release(25, 0, "a").acquire(30, 0, "a", two)).extend(60, 0, "a"))).toContain(
    "linearizability",
  );
  expect(accused(beside(released().acquire(30, 0, "a", one).acquire(35, 1, "c", one)))).not.toEqual([]);
});

describe("a client that is granted a semaphore again under another value, beside another client", () => {
  const TWO = { ...TTL, limit: 2 };
  const again = (extended: (recording: Recording) => Recording): Recording =>
    extended(new Recording({ clients: 2 }).acquire(0, 0, "a", TWO))
      .acquire(120, 1, "b", TWO)
      .acquire(140, 2, "a2", TWO);

  it.each([[[]], [["a2"]], [["a"]], [["a2", "a2"]], [["a2", "a"]]])(
    "may have the value that an unanswered extension drew, whatever it releases: %j",
    (released) => {
      const unheard = again((recording) => recording.seekExtension(100, 0, "a", 1000).info(101, 0, "extend"));
      released.forEach((owner, index) => unheard.release(150 + 2 * index, 2, owner));
      expect(accused(unheard)).toEqual([]);
    },
  );

  it("holds twice where no extension can have drawn it, or where extensions keep the value", () => {
    const twofold = ["lease-exclusion", "linearizability"];
    expect(accused(again((recording) => recording.release(101, 0, "z", false)).release(150, 2, "a2"))).toEqual(twofold);
    const kept = again((recording) =>
      recording.extend(50, 0, "a").seekExtension(100, 0, "a", 1000).info(101, 0, "extend"),
    );
    expect(accused(kept.release(150, 2, "a2"))).toEqual(twofold);
  });

  it.each([
    ["shared", "exclusive"],
    ["exclusive", "shared"],
  ] as const)("has a new hold of mode %s if a hold of mode %s came between", (mode, between) => {
    const own = { ...TTL, mode };
    const after = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { ...own, ttlMs: 100 })
      .seekExtension(50, 0, "a", 1000)
      .info(51, 0, "extend")
      .acquire(120, 1, "b", { ...TTL, mode: between })
      .release(130, 1, "b")
      .acquire(140, 2, "a2", own);
    expect(accused(after.release(150, 2, "a", false).release(160, 2, "a2", false))).toContain("linearizability");
  });
});
