import { describe, expect, test } from "vitest";
import type { History } from "../../history/history.ts";
import { type Plan, planSchema } from "../../core/plan.ts";
import type { Cause, Hypothesis, Property, PropertyVerdict, Verdict } from "../../core/verdict.ts";
import { notesOf } from "./run-notes.ts";

const planUnder = (...kinds: string[]): Plan =>
  planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients: [{ sections: [] }],
    faults: kinds.map((kind) => ({ kind, at: { atMs: 0 } })),
  });

const broken = (cause: Cause, fault?: number): PropertyVerdict => ({
  verdict: "invalid",
  violations: [
    {
      events: [],
      cause,
      explanation: "",
      proof: { standing: "proven", by: "" },
      ...(fault === undefined ? {} : { fault }),
    },
  ],
});
/** Broken by what is only probable, the best guess first. */
function suspected(...causes: [Cause, ...Cause[]]): PropertyVerdict {
  const hypotheses = causes.map((cause): Hypothesis => {
    return { cause, events: [], why: "", ground: { on: "faults", faults: [0] }, remedies: [] };
  });
  const [cause] = causes;
  const proof = { standing: "probable", by: "" } as const;
  return { verdict: "invalid", violations: [{ events: [], cause, fault: 0, explanation: "", proof, hypotheses }] };
}
/** Broken by a client that outlived its lease, for one of several reasons. */
function overrunBy(...grounds: readonly Hypothesis["ground"][]): PropertyVerdict {
  const hypotheses = grounds.map((ground): Hypothesis => {
    return { cause: "overrun", events: [], why: "", ground, remedies: [] };
  });
  const proof = { standing: "probable", by: "" } as const;
  return { verdict: "invalid", violations: [{ events: [], cause: "overrun", explanation: "", proof, hypotheses }] };
}
const holds: PropertyVerdict = { verdict: "valid", violations: [] };
const silent: PropertyVerdict = { verdict: "not-applicable", violations: [], reason: "nothing speaks of it" };

function judged(
  verdict: Verdict["verdict"],
  properties: Partial<Record<Property, PropertyVerdict>>,
  required: readonly Property[],
  reasons: readonly string[] = [],
): Verdict {
  return { verdict, required, properties, reasons, remarks: [] };
}

const history = (...events: object[]): History =>
  ({
    header: { format: "lockstorm-history", version: 1 },
    events: events.map((event, index) => ({ index, time: index, ...event })),
  }) as unknown as History;
const write = (accepted: boolean, fence?: number) => ({
  process: "storage",
  type: "audit",
  key: "k1",
  value: { position: 0, data: "x", accepted, ...(fence === undefined ? {} : { fence }) },
});
const fault = (f: string) => ({ process: "nemesis", type: "fault", f, value: {} });

const REQUIRED: readonly Property[] = ["owner-release", "stale-writes"];

describe("what broke and does not decide", () => {
  const verdict = judged("valid", { "owner-release": holds, "lease-exclusion": broken("clock-jump", 0) }, REQUIRED);

  test.each([
    ["claims", "not-claimed"],
    ["promisable", "not-promisable"],
    ["asked", "not-asked"],
  ] as const)("is told, when what decides are %s, as %s", (basis, kind) => {
    const run = { plan: planUnder("clock-jump"), history: history(), verdict };
    expect(notesOf(run, basis)).toEqual([{ kind, what: "lease-exclusion under clock-jump (clock-jump)" }]);
  });

  test("names the fault that made it possible, else all", () => {
    const run = { plan: planUnder("reset", "clock-jump", "reset"), verdict };
    expect(notesOf({ ...run, history: history(fault("clock-jump")) }, "claims")[0]?.what).toContain(
      " under clock-jump (",
    );
    expect(notesOf({ ...run, history: history(fault("promotion")) }, "claims")[0]?.what).toContain(
      " under clock-jump + reset (",
    );
    expect(notesOf({ ...run, plan: planUnder(), history: history() }, "claims")[0]?.what).toContain(
      " without faults (",
    );
  });

  test("accuses no single fault of what nobody has proven", () => {
    const properties = { "lease-exclusion": suspected("clock-jump", "eviction") };
    const run = { plan: planUnder("reset", "clock-jump"), history: history(fault("clock-jump")) };
    expect(notesOf({ ...run, verdict: judged("valid", properties, REQUIRED) }, "claims")).toEqual([
      { kind: "not-claimed", what: "lease-exclusion under clock-jump + reset (probably clock-jump)" },
    ]);
  });

  test("is told once where two leases were in force", () => {
    const all = {
      ...verdict.properties,
      linearizability: broken("clock-jump"),
      "mutual-exclusion": broken("clock-jump"),
    };
    const run = { plan: planUnder("clock-jump"), history: history(), verdict: { ...verdict, properties: all } };
    expect(notesOf(run, "claims")).toHaveLength(1);
  });
});

describe("a client that outlived its lease", () => {
  const overrun = { "mutual-exclusion": broken("overrun"), "lost-updates": broken("stale-accepted") };
  const run = (verdict: Verdict, ...events: object[]) =>
    notesOf({ plan: planUnder("pause-client"), history: history(...events), verdict }, "claims");

  test.each([
    [[], "no client wrote"],
    [[write(true, 1), write(false, 1)], "the resource rejected the late write by its fencing token"],
    [[write(true, 1), write(true, 2)], "no late write reached the resource"],
    [[write(true), write(true)], "writes carried no fencing token, so the resource cannot reject a late one"],
  ])("%j is no violation; what became of late writes stands beside it: %s", (events, what) => {
    expect(run(judged("valid", { ...overrun, "owner-release": holds }, REQUIRED), ...events)).toEqual([
      { kind: "outlived", what },
    ]);
  });

  test("is a possible cause of two holders, whose leases never met, where nothing is proven", () => {
    const guessed = { "mutual-exclusion": suspected("foreign-release", "overrun"), "lease-exclusion": holds };
    expect(run(judged("valid", guessed, REQUIRED))).toEqual([{ kind: "outlived", what: "no client wrote" }]);
    const both = { ...guessed, "lease-exclusion": broken("foreign-release") };
    expect(run(judged("valid", both, REQUIRED))).toMatchObject([{ kind: "not-claimed" }]);
  });

  test("whose late write was taken", () => {
    const taken = judged("valid", { ...overrun, "stale-writes": broken("stale-accepted") }, ["owner-release"]);
    expect(run(taken, write(true, 2), write(true, 1))).toContainEqual({
      kind: "outlived",
      what: "the resource accepted a late write",
    });
  });

  describe("although its lock renews its leases", () => {
    const renewed = { process: 0, type: "renewed", f: "lease", key: "k1", value: { owner: "a", validForMs: 1200 } };
    const fault = (f: string, how: string) => ({ process: "nemesis", type: how, f, value: {} });
    const verdict = judged("valid", overrun, REQUIRED);
    const untold = "no client wrote; the lock renews its leases, and told nobody in time that one was over";

    test.each([[], [fault("partition", "fault")], [fault("partition", "fault"), fault("reset", "fault")]])(
      "was not told in time if it ran: %j",
      (...faults) => {
        expect(run(verdict, renewed, ...faults)).toEqual([{ kind: "outlived", what: untold }]);
      },
    );

    test.each(["pause-client", "clock-jump", "clock-rate", "client-overload"])(
      "may have been held up by %s",
      (kind) => {
        expect(run(verdict, renewed, fault(kind, "fault"))).toEqual([{ kind: "outlived", what: "no client wrote" }]);
      },
    );

    test("was not told in time either if only what kept it from noticing is a guess", () => {
      const cut = { on: "faults", faults: [1] } as const;
      const certainly = { "mutual-exclusion": overrunBy(cut, { on: "history" }), "lease-exclusion": holds };
      const events = [renewed, fault("partition", "fault")];
      expect(run(judged("valid", certainly, REQUIRED), ...events)).toEqual([{ kind: "outlived", what: untold }]);
      const perhaps = overrunBy(cut, { on: "remedy", remedy: "local-timer" });
      const guessed = judged("valid", { ...certainly, "mutual-exclusion": perhaps }, REQUIRED);
      expect(run(guessed, ...events)).toEqual([{ kind: "outlived", what: "no client wrote" }]);
    });

    test("may not have been the holder where the cause is only probable", () => {
      const guessed = { "mutual-exclusion": suspected("foreign-release", "overrun"), "lease-exclusion": holds };
      expect(run(judged("valid", guessed, REQUIRED), renewed)).toEqual([{ kind: "outlived", what: "no client wrote" }]);
    });
  });

  test("is the counterexample where mutual exclusion was asked for", () => {
    expect(run(judged("invalid", overrun, ["mutual-exclusion"]))).toEqual([]);
  });
});

describe("a run that is unknown", () => {
  const run = (verdict: Verdict, basis: "claims" | "asked") =>
    notesOf({ plan: planUnder(), history: history(), verdict }, basis);

  test("says why, each reason once, the required properties' reasons too", () => {
    const undecided: PropertyVerdict = { verdict: "unknown", violations: [], reason: "300 operations are too many" };
    const properties = { "owner-release": undecided, "deadlock-freedom": undecided };
    const reasons = [
      "reset of client-0 at 1 ms (event 3) was skipped: why",
      "reset of client-1 at 2 ms (event 4) was skipped: why",
    ];
    expect(run(judged("unknown", properties, ["owner-release"], reasons), "claims")).toEqual([
      { kind: "undecided", what: "reset was skipped: why" },
      { kind: "undecided", what: "owner-release: N operations are too many" },
    ]);
  });

  test("because nothing is promised under its faults decides nothing, and is not unknown", () => {
    const granted = { "stale-writes": silent, "lease-exclusion": holds };
    const nothing = judged("unknown", granted, ["stale-writes"], ["nothing speaks"]);
    const under = (basis: "claims" | "asked", ...faults: string[]) =>
      notesOf({ plan: planUnder(...faults), history: history(), verdict: nothing }, basis);
    expect(under("claims", "clock-jump")).toMatchObject([{ kind: "nothing-promised" }]);
    expect(under("asked", "clock-jump")).toMatchObject([{ kind: "undecided" }]);
    expect(under("claims")).toMatchObject([{ kind: "undecided" }]);
  });

  test("because no lock was granted is unknown, and says why", () => {
    const silence = { "stale-writes": silent, "lease-exclusion": silent };
    const verdict = judged("unknown", silence, ["stale-writes"], ["the driver made a mistake"]);
    expect(notesOf({ plan: planUnder("clock-jump"), history: history(), verdict }, "claims")).toEqual([
      { kind: "undecided", what: "the driver made a mistake" },
    ]);
  });
});
