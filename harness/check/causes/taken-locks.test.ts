import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

it("no release of one that held on other masters takes the lock, where there are several", () => {
  const robbed = (topology: string): Recording =>
    new Recording({ clients: 3, backend: "simulated", topology })
      .acquire(0, 0, "a")
      .acquire(10, 1, "b")
      .release(20, 0, "a")
      .acquire(30, 2, "c");
  const causesOf = (topology: string) =>
    violationsOf("lease-exclusion", robbed(topology)).map(({ hypotheses = [] }) =>
      hypotheses.map(({ cause }) => cause),
    );
  expect(causesOf("redlock")).toEqual([["double-grant"], ["double-grant"]]);
  expect(causesOf("single")).toEqual([["double-grant"], ["foreign-release", "double-grant"]]);
});

describe("a second release of unknown outcome, within the lease of what it had given up", () => {
  const released = (history: Recording, atMs: number, process: number): Recording =>
    history.leave(atMs, process, "a").info(atMs + 1, process, "release");
  const begun = (): Recording =>
    new Recording({ clients: 3, backend: "simulated", topology: "single" }).acquire(0, 0, "a");
  const found = (history: Recording) => violationsOf("lease-exclusion", history)[0];

  it.each([
    ["its own client", 3],
    ["another client", 1],
  ])("may have taken what %s was granted since", (_, holder) => {
    const since = released(begun(), 20, 0).acquire(30, holder, "b");
    const violation = found(released(since, 40, 3).acquire(50, 2, "c"));
    expect(violation?.hypotheses?.map(({ cause }) => cause)).toEqual(["foreign-release", "double-grant"]);
    expect(violation?.explanation).toContain("a second release by client-0");
  });

  it.each([
    [
      "its own client, whose owner values may all be one",
      3,
      "an owner value that is new for every acquire, and delete the key in one step",
    ],
    ["another client", 1, "the owner value and delete the key in one step"],
  ])("is told what a release must compare, where it took from %s", (_, holder, rule) => {
    const since = released(begun(), 20, 0).acquire(30, holder, "b");
    expect(found(released(since, 40, 3).acquire(50, 2, "c"))?.explanation).toContain(`must compare ${rule}`);
  });

  it("took nothing that was asked for before the first one: it may have found its own", () => {
    const beside = released(begun().seek(5, 1), 20, 0).granted(30, 1, "b");
    const causes = found(released(beside, 40, 3).acquire(50, 2, "c"))?.hypotheses?.map(({ cause }) => cause);
    expect(causes).toEqual(["double-grant"]);
  });

  it("took no permit: its own may have remained beside that", () => {
    const one = { limit: 1 };
    const history = new Recording({ clients: 3, backend: "simulated", topology: "single" }).acquire(0, 0, "a", one);
    const since = released(history, 20, 0).acquire(30, 1, "b", one);
    const causes = found(released(since, 40, 3).acquire(50, 2, "c", one))?.hypotheses?.map(({ cause }) => cause);
    expect(causes).toEqual(["double-grant"]);
  });
});

describe("a release of another that reported success after the only server had lost the lock", () => {
  const causesOf = (
    header: object,
    restartsMs: readonly number[],
    fault = "kill-node",
    outcome?: "indeterminate",
  ): readonly string[] => {
    const restart = (recording: Recording, ms: number) =>
      restartsMs.includes(ms)
        ? recording.fault(ms, fault, { targets: ["node-0"], outcome: outcome ?? "installed" })
        : recording;
    const history = new Recording({ clients: 3, backend: "live", topology: "single", ...header });
    const asked = restart(history.acquire(0, 0, "a", { ttlMs: 20 }), 40).acquire(50, 1, "b", { ttlMs: 1000 });
    const released = restart(restart(asked, 60).release(70, 0, "a"), 80);
    const [violation] = violationsOf("lease-exclusion", released.acquire(90, 2, "c"));
    return violation?.hypotheses?.map(({ cause }) => cause) ?? [];
  };

  it("took nothing: what the server lost comes first", () => {
    const expected = ["lost-in-restart", "foreign-release", "double-grant"];
    expect(causesOf({ persistence: "none" }, [60])).toEqual(expected);
    // Such a server comes back with an empty disk.
    expect(causesOf({ persistence: "always" }, [60], "restart-node")).toEqual(expected);
  });

  it("may have taken it, if nobody saw that the server died", () => {
    expect(causesOf({ persistence: "none" }, [60], "kill-node", "indeterminate")[0]).toBe("foreign-release");
  });

  it("may have taken it, if the lock was set anew after the loss", () => {
    const history = new Recording({ clients: 3, backend: "live", topology: "single", persistence: "none" })
      .acquire(0, 0, "a", { ttlMs: 20 })
      .acquire(50, 1, "b", { ttlMs: 1000 })
      .fault(60, "kill-node", { targets: ["node-0"] })
      .extend(65, 1, "b", { ttlMs: 1000 })
      .release(70, 0, "a")
      .acquire(90, 2, "c");
    expect(violationsOf("lease-exclusion", history)[0]?.hypotheses?.[0]?.cause).toBe("foreign-release");
  });

  it.each([
    ["the server died after it", { persistence: "none" }, [80]],
    ["the server died before the grant and after the release", { persistence: "none" }, [40, 80]],
    ["the server may have kept the lock on its disk", { persistence: "always" }, [60]],
    ["another server may have had it", { persistence: "none", topology: "sentinel" }, [60]],
  ])("may have taken it, if %s", (_, header, restartsMs) => {
    expect(causesOf(header, restartsMs)[0]).toBe("foreign-release");
  });
});

describe("a permit that was given back after its lease, when another client had been granted one", () => {
  const one = { limit: 1 };
  const recording = () =>
    new Recording({ clients: 3, backend: "simulated" }).acquire(0, 0, "a", one).acquire(1500, 1, "b", one);
  const causesOf = (history: Recording) =>
    violationsOf("lease-exclusion", history.acquire(1620, 2, "c", one)).map(({ hypotheses = [] }) =>
      hypotheses.map(({ cause }) => cause),
    );

  it("may have been the other's, if nobody knows what the release did", () => {
    const unknown = recording().leave(1600, 0, "a").info(1610, 0, "release");
    expect(causesOf(unknown)).toEqual([["foreign-release", "double-grant"]]);
  });

  it("was probably the other's, which had all permits, if the release says that it gave one back", () => {
    const released = recording().release(1600, 0, "a");
    expect(causesOf(released)).toEqual([["foreign-release", "double-grant"]]);
    const [{ explanation } = { explanation: "" }] = violationsOf("lease-exclusion", released);
    expect(explanation).toContain("find the permit of its own owner value and end it in one step");
    expect(explanation).not.toContain("delete the key");
  });

  it("was probably the other's, which had waited meanwhile, if the lease of that one began only then", () => {
    const waited = (grantedAtMs: number) =>
      new Recording({ clients: 3, backend: "simulated" })
        .seek(0, 0, one)
        .seek(0.5, 1, { ...one, ttlMs: 3000, waitMs: 3000 })
        .granted(1, 0, "a")
        .granted(1500, 1, "b", { validForMs: 3000, grantedAtMs })
        .release(1600, 0, "a");
    expect(causesOf(waited(1499))).toEqual([["foreign-release", "double-grant"]]);
    expect(causesOf(waited(0.7))).toEqual([["double-grant"]]);
  });

  it("was its own, which stayed after the lease, if others left one, or its lease was in force", () => {
    const two = { limit: 2 };
    const beside = (isFirst: boolean, ttlMs: number) => {
      const begun = new Recording({ clients: 4, backend: "simulated" });
      const held = isFirst
        ? begun.acquire(0, 1, "b", { ...two, ttlMs: 3000 }).acquire(2, 0, "a", { ...two, ttlMs })
        : begun.acquire(2, 0, "a", { ...two, ttlMs }).acquire(1500, 1, "b", { ...two, ttlMs: 3000 });
      const released = held.acquire(1510, 2, "d", two).release(1600, 0, "a").acquire(1610, 3, "e", two);
      const found = violationsOf("lease-exclusion", released.extend(1630, 1, "b").extend(1640, 2, "d")).at(-1);
      return found?.hypotheses?.map(({ cause }) => cause);
    };
    expect(beside(false, 1000)).toEqual(["foreign-release", "double-grant"]);
    expect(beside(true, 1000)).toEqual(["double-grant"]);
    expect(beside(false, 4000)).toEqual(["double-grant"]);
  });

  it("was its own, where others were granted the rest only after it", () => {
    const two = { limit: 2, ttlMs: 3000 };
    const recording = new Recording({ clients: 4 })
      .acquire(0, 0, "a", { ...two, ttlMs: 100 })
      .acquire(150, 1, "b", two)
      .release(300, 0, "a")
      .acquire(310, 2, "c", two)
      .acquire(320, 3, "d", two);
    const causes = violationsOf("lease-exclusion", recording).map(({ hypotheses = [] }) => hypotheses[0]?.cause);
    expect(causes).toEqual(["double-grant"]);
  });

  it("was its own, if its lease was in force", () => {
    const extended = recording().leave(500, 0, "a").info(510, 0, "release");
    expect(causesOf(extended)).toEqual([["double-grant"]]);
  });
});

describe("no order explains the grant of a permit to one beside a client whose lease began while it waited", () => {
  const one = { limit: 1, ttlMs: 1200, waitMs: 3000 };
  const causesOf = (release: (history: Recording) => Recording): readonly string[] => {
    const history = new Recording({ clients: 2, backend: "simulated" });
    release(history.seek(0, 0, one).granted(1, 0, "a").seek(20, 1, one).granted(1242, 1, "b"));
    const [violation] = violationsOf("linearizability", history.seek(1264, 0, one).granted(1265, 0, "c"));
    return violation?.hypotheses?.map(({ cause }) => cause) ?? [];
  };

  it("because a release that may have taken effect gave back the permit of that client", () => {
    const unknown = (history: Recording) => history.leave(1262, 0, "a").info(1263, 0, "release");
    expect(causesOf(unknown)).toEqual(["foreign-release", "contradiction"]);
  });

  it("though a release that found nothing gave none back", () => {
    expect(causesOf((history) => history.release(1262, 0, "a", false))).toEqual(["contradiction"]);
  });
});

it("a holder that is told that it holds nothing may have lost the key to another program, except in a run of lockstorm", () => {
  const told = (facts: { readonly backend?: string }): string | undefined =>
    violationsOf("linearizability", new Recording(facts).acquire(0, 0, "a").release(5, 0, "a", false))[0]?.explanation;
  expect(told({ backend: "simulated" })).toMatch(/too early\.$/);
  expect(told({})).toMatch(
    /Probably: .* too early, or another program deleted the key\..* every program that changed the key\.$/,
  );
});

it("a client that releases late takes the lock from another that uses the same owner value", () => {
  const robbed = (owners: readonly [string, string]): readonly string[] =>
    violationsOf(
      "lease-exclusion",
      new Recording({ clients: 2 })
        .acquire(0, 0, owners[0], { ttlMs: 100 })
        .acquire(110, 1, owners[1])
        .release(120, 0, owners[0])
        .acquire(130, 0, owners[0])
        .release(140, 1, owners[1])
        .release(150, 0, owners[0]),
    ).map(({ cause, explanation }) => `${cause}: ${explanation}`);
  expect(robbed(["1", "1"])).toEqual([
    expect.stringMatching(
      /^foreign-release: .* a release by client-0, which uses the same owner value \(events 4 and 5\), which reported success, took the lock from its holder: each acquire needs a new owner value\./,
    ),
  ]);
  expect(robbed(["a", "b"])).toEqual([expect.stringMatching(/^foreign-release: .* with owner a .* in one step\./)]);
});

it("takes what was over in the tick of a grant, by a coarse clock, for the hold before it", () => {
  const handedOver = (extendsToo: boolean): readonly string[] => {
    const written = new Recording({ clients: 2 }).seek(0, 1, { ttlMs: 150 }).granted(0, 1, "b");
    if (extendsToo) written.seekExtension(300, 1, "b", 150).extended(300, 1, "b");
    written.seek(300, 0, { ttlMs: 5000 }).granted(300, 0, "a").leave(300, 1, "b").left(300, 1);
    const { history } = written.leave(500, 0, "a").left(500, 0, false);
    const { violations = [] } = checkHistory(history, { foreign: true }).properties["linearizability"] ?? {};
    return violations.map(({ explanation }) => explanation.split("Probably: ")[1]?.split(",")[0] ?? "");
  };
  for (const extendsToo of [true, false])
    expect(handedOver(extendsToo)).toEqual(["the lock ended or deleted the lease too early"]);
});

describe("a release of unknown outcome that was over before another owner asked for the lock", () => {
  /** Its owner's lease is over when the other owner asks, which is then told that it does not hold. */
  const causesOf = (between: (recording: Recording) => Recording): readonly string[] => {
    const released = new Recording({ clients: 2 }).acquire(0.1, 0, "a", { ttlMs: 100 }).leave(10.2, 0, "a");
    const unknown = released.info(20.3, 0, "release");
    const { history } = between(unknown).acquire(130.4, 1, "b").release(150.1, 1, "b", false);
    const { violations = [] } = checkHistory(history, { foreign: true }).properties["linearizability"] ?? {};
    return violations.map(({ cause }) => cause);
  };

  it("did not take the lock where nothing kept it back", () => {
    expect(causesOf((recording) => recording)).toEqual(["lost-early"]);
  });

  it("may have come late where a fault is recorded since then", () => {
    expect(causesOf((recording) => recording.fault(50.2, "pause-client", { processes: [0] }))).toContain(
      "foreign-release",
    );
  });
});

it("a release that may have found what its owner was granted in the hold comes after one that cannot have", () => {
  const lease = { ttlMs: 3000, waitMs: 6000 };
  const history = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", lease)
    .leave(10, 0, "a")
    .info(30, 0, "release")
    .seek(40, 2, lease)
    .acquire(4000, 1, "b", lease)
    .granted(5300, 2, "c")
    .leave(5301, 2, "c")
    .info(5320, 2, "release")
    .acquire(6000, 4, "d", lease);
  const [violation] = violationsOf("lease-exclusion", history);
  const accused = violation?.hypotheses?.map(({ cause, events, ground }) => ({ cause, events, ground })) ?? [];
  expect(accused.slice(0, 2)).toEqual([
    { cause: "foreign-release", events: [2, 3], ground: { on: "operation", invoked: 2 } },
    { cause: "foreign-release", events: [8, 9], ground: { on: "operation", invoked: 8, isPerhapsRightful: true } },
  ]);
});

it.each([
  ["a semaphore", { limit: 1 }, { limit: 1 }],
  ["a read-write lock", { mode: "shared" as const }, { mode: "exclusive" as const }],
])("is one cause to all properties, where the holder had entered its hold again: %s", (_, sharing, other) => {
  const recording = new Recording({ clients: 3, reentrant: true }).acquire(0, 2, "r", { ttlMs: 50, ...sharing });
  const entered = recording
    .acquire(100, 1, "a", sharing)
    .seek(120, 1, { inner: true, ...sharing })
    .granted(121, 1, "a");
  const taken = entered.release(200, 2, "r").acquire(300, 0, "b", other).release(400, 0, "b").extend(410, 1, "a");
  const { properties } = checkHistory(taken.history, { foreign: true });
  const causes = (["mutual-exclusion", "lease-exclusion", "linearizability"] as const).map(
    (property) => properties[property]?.violations.find(({ holders }) => holders?.[1].owner === "b")?.cause,
  );
  expect(causes).toEqual(["foreign-release", "foreign-release", "foreign-release"]);
});

it("a permit that its owner gave back as often as it was granted it is not what a further release found", () => {
  const two = { limit: 2 };
  const full = new Recording({ clients: 4 }).acquire(0, 0, "a", two).release(10, 0, "a").acquire(20, 1, "b", two);
  const taken = full.acquire(30, 2, "c", two).release(40, 0, "a").acquire(50, 3, "d", two).release(60, 1, "b", false);
  const { violations = [] } =
    checkHistory(taken.release(70, 2, "c").history, { foreign: true }).properties["lease-exclusion"] ?? {};
  expect(violations[0]?.cause).toBe("foreign-release");
});
