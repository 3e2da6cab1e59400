import { describe, expect, it } from "vitest";
import { checkHistory } from "../check/check.ts";
import { Recording } from "../check/testing/recording.ts";
import type { History } from "../history/history.ts";
import { planSchema } from "../core/plan.ts";
import type { Property, Violation } from "../core/verdict.ts";
import type { ChangedRun, JudgedRun } from "./changed-run.ts";
import { proveCauses } from "./prove.ts";

const plan = planSchema.parse({
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "single",
  topology: { kind: "single" },
  clients: [{ sections: [] }, { sections: [] }],
  faults: [
    { kind: "eviction", at: { atMs: 5 } },
    { kind: "clock-jump", at: { atMs: 6 } },
  ],
});

const judged = (history: History): JudgedRun => ({ plan, history, verdict: checkHistory(history) });
const start = (): Recording => new Recording({ clients: 2, backend: "simulated" });

/** Two leases that overlap, with these faults in between. */
function twice(...kinds: readonly string[]): History {
  const recording = start().acquire(0, 0, "a", { ttlMs: 10_000 });
  const steps: Readonly<Record<string, number>> = { eviction: 0, "clock-jump": 1 };
  kinds.forEach((kind, at) => recording.fault(5 + at, kind, { step: steps[kind] ?? 0 }));
  return recording.acquire(150, 1, "b", { ttlMs: 10_000 }).release(2000, 1, "b").release(2100, 0, "a", false).history;
}

/** The second is refused: there was contention, and the lock kept its promise. */
const kept = (): History =>
  start().acquire(0, 0, "a", { ttlMs: 10_000 }).fail(150, 1).release(2000, 0, "a").acquire(2100, 1, "b").history;

/** The outcome of the P2 violation when runs without these kinds of fault end like this. */
async function prove(
  original: History,
  outcome: (left: readonly string[], isAltered: boolean) => History | Error,
  position = 0,
): Promise<Violation> {
  const asked: string[] = [];
  const execute = ({ plan, alteration }: ChangedRun) => {
    const left = plan.faults.map(({ kind }) => kind).filter((kind) => kind !== "left-out");
    asked.push(`${left.join()} ${JSON.stringify(alteration)}`);
    const found = outcome(left, alteration !== undefined);
    return found instanceof Error ? Promise.reject(found) : Promise.resolve({ ...judged(found), traceHash: "t" });
  };
  const { properties } = await proveCauses(judged(original), execute);
  // Violations that need the same run share it.
  expect(new Set(asked).size).toBe(asked.length);
  const violation = properties["lease-exclusion"]?.violations[position];
  if (violation === undefined) throw new Error("nothing was violated");
  return violation;
}

describe("a cause", () => {
  it("is proven when it is gone without it", async () => {
    const violation = await prove(twice("eviction"), (left) =>
      left.includes("eviction") ? twice("eviction") : kept(),
    );
    expect(violation).toMatchObject({ cause: "eviction", proof: { standing: "proven", run: { traceHash: "t" } } });
  });

  it("is probable when the run without it decides nothing, whose times and events are not those of this run", async () => {
    const doubtful = start().acquire(0, 0, "a").fault(77, "clock-jump", { step: 1, outcome: "indeterminate" });
    const undecided = doubtful.fail(150, 1).release(160, 0, "a").acquire(170, 1, "b").history;
    const violation = await prove(twice("eviction"), (left) =>
      left.includes("eviction") ? twice("eviction") : undecided,
    );
    expect(violation.explanation).toContain("decides nothing: there clock-jump was not seen to take effect");
    expect(violation.explanation).not.toContain("77 ms");
  });

  it("is dropped when it still happens, for the next", async () => {
    const violation = await prove(twice("eviction", "clock-jump"), (left) =>
      left.includes("eviction") ? twice("eviction") : kept(),
    );
    expect(violation).toMatchObject({ cause: "eviction", proof: { dropped: [{ cause: "clock-jump" }] } });
    expect(violation.explanation).not.toContain("clock-jump");
    expect(violation.hypotheses?.map(({ cause }) => cause)).toEqual(["eviction", "clock-jump", "double-grant"]);
  });

  it("is several together rather than a release that may have been rightful", async () => {
    /** `b` is granted the lock late, and gives it back; then client 1 is granted it once more. */
    const late = (recording: Recording): History =>
      recording
        .granted(150, 1, "b", { validForMs: 10 })
        .release(170, 1, "b")
        .acquire(180, 1, "c", { ttlMs: 10_000 })
        .release(2000, 1, "c")
        .release(2100, 0, "a", false).history;
    const first = start().acquire(0, 0, "a", { ttlMs: 10_000 }).seek(1, 1);
    const original = late(first.fault(5, "eviction", { step: 0 }).fault(6, "clock-jump", { step: 1 }));
    const outcome = (left: readonly string[], isAltered: boolean): History =>
      isAltered || left.length === 0 ? kept() : original;
    const violation = await prove(original, outcome, 1);
    expect(violation).toMatchObject({ cause: "clock-jump", proof: { standing: "proven" } });
    expect(violation.explanation).toContain("each of them alone is enough");
    // While a fault may be the cause, that release is not.
    const lost = start().acquire(0, 0, "a", { ttlMs: 10_000 }).seek(1, 1).fault(5, "eviction", { step: 0 });
    const open = (_: readonly string[], isAltered: boolean): History | Error =>
      isAltered ? kept() : new Error("it hangs");
    expect(await prove(late(lost), open, 1)).toMatchObject({ cause: "eviction", proof: { standing: "probable" } });
  });

  it("is the lock itself when it happens without any of them", async () => {
    const violation = await prove(twice("eviction"), () => twice());
    expect(violation).toMatchObject({ cause: "double-grant", proof: { standing: "proven" } });
    expect(violation.explanation).toContain("Without eviction at 5 ms (event 2), it still happens.");
  });

  it("is not dropped because a single grant is wrong by itself without it", async () => {
    const late = (): History =>
      start().seek(0, 1, { ttlMs: 10 }).acquire(0, 0, "a").release(100, 0, "a").granted(200, 1, "b", { validForMs: 0 })
        .history;
    const violation = await prove(twice("eviction"), (left) =>
      left.includes("eviction") ? twice("eviction") : late(),
    );
    expect(violation).toMatchObject({ cause: "eviction", proof: { standing: "proven" } });
  });

  it("is several together when each is enough", async () => {
    const violation = await prove(twice("eviction", "clock-jump"), (left) => (left.length > 0 ? twice() : kept()));
    expect(violation).toMatchObject({ cause: "clock-jump", proof: { standing: "proven", dropped: [{}, {}, {}] } });
    expect(violation.proof?.run?.change).toEqual({ kind: "without-faults", steps: [0, 1] });
    expect(violation.explanation).toContain("each of them alone is enough");
  });

  it("is those of several together that matter, and not one from long before", async () => {
    const with3 = planSchema.parse({
      ...plan,
      faults: [...plan.faults, { kind: "restart-node", at: { atMs: 0 } }, { kind: "kill-node", at: { atMs: 8 } }],
    });
    const broken = (): History => {
      const begun = start().fault(0, "restart-node", { step: 2 }).acquire(1, 0, "a", { ttlMs: 10_000 });
      const struck = begun
        .fault(5, "eviction", { step: 0 })
        .fault(6, "clock-jump", { step: 1 })
        .fault(8, "kill-node", { step: 3 });
      return struck.acquire(150, 1, "b", { ttlMs: 10_000 }).release(2000, 1, "b").release(2100, 0, "a", false).history;
    };
    const original = { ...judged(broken()), plan: with3 };
    const provenWhen = async (isBroken: (left: readonly string[]) => boolean): Promise<Violation | undefined> => {
      const verdict = await proveCauses(original, ({ plan: { faults } }) => {
        const left = faults.map(({ kind }) => kind);
        return Promise.resolve({ ...judged(isBroken(left) ? broken() : kept()), plan: with3, traceHash: "t" });
      });
      return verdict.properties["lease-exclusion"]?.violations[0];
    };
    // Each of two is enough; without the one from before, everything comes at other times.
    const each = await provenWhen(
      (left) => left.includes("restart-node") && (left.includes("eviction") || left.includes("clock-jump")),
    );
    expect(each).toMatchObject({ proof: { standing: "proven", run: { change: { steps: [0, 1] } } } });
    expect(each?.cause).toMatch(/eviction|clock-jump/);
    expect(each?.explanation).toContain(
      "Eviction at 5 ms (event 3) and clock-jump at 6 ms (event 4) led to it; each of them alone is enough.",
    );
    const both = await provenWhen((left) => left.includes("eviction") && left.includes("clock-jump"));
    expect(both?.explanation).not.toContain("led to it");
    // Named by nobody: its own kind is the cause, and not that of the one who was acquitted.
    const before = await provenWhen((left) => left.includes("restart-node"));
    expect(before).toMatchObject({ cause: "lost-in-restart", fault: 0 });
    expect(before?.explanation).toContain("restart-node at 0 ms (event 0) led to it.");
  });

  it.each<[string, (left: readonly string[]) => History | Error, string]>([
    [
      "nobody meets anybody",
      () => start().acquire(0, 0, "a").release(5, 0, "a").acquire(9, 1, "b").history,
      "no lock was ever contended",
    ],
    ["one of the two never asks", () => start().acquire(0, 0, "a").history, "no lock was ever contended"],
    ["the run cannot be brought to its end", () => new Error("it broke down"), "it broke down"],
  ])("is no more than probable when %s", async (_, outcome, reason) => {
    const violation = await prove(twice("eviction"), outcome);
    expect(violation).toMatchObject({ cause: "eviction", proof: { standing: "probable" } });
    expect(violation.explanation).toContain("Probably: ");
    expect(violation.explanation).toContain(reason);
  });

  it("is not gone because others are at odds now", async () => {
    const others = (): History =>
      new Recording({ clients: 3, backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs: 10_000 })
        .fail(150, 1)
        .acquire(200, 2, "c", { ttlMs: 10_000 })
        .release(2000, 2, "c")
        .release(2100, 0, "a").history;
    const violation = await prove(twice("eviction"), others);
    expect(violation).toMatchObject({ cause: "double-grant", proof: { dropped: [{ cause: "eviction" }] } });
  });
});

describe("a lease that a request of unknown outcome may have cut", () => {
  /** The first holder asks for a shorter lease and is not answered; `isLeftOut`: it does not ask. */
  const cut = (isLeftOut: boolean, isKept: boolean): History => {
    const held = start().acquire(0, 0, "a", { ttlMs: 10_000 });
    const asked = isLeftOut ? held : held.seekExtension(10, 0, "a", 30).info(20, 0, "extend");
    const last = isLeftOut ? 0 : 2;
    if (isKept) return asked.fail(150, 1).release(2000, last, "a").acquire(2100, 1, "b").history;
    return asked.acquire(150, 1, "b").release(2000, 1, "b").release(2100, last, "a", false).history;
  };
  const proveCut = async (isKept: boolean): Promise<Violation | undefined> => {
    const without: History = cut(true, isKept);
    const verdict = await proveCauses(judged(cut(false, false)), ({ alteration }) =>
      Promise.resolve({ ...judged(alteration === undefined ? cut(false, false) : without), traceHash: "t" }),
    );
    return verdict.properties["mutual-exclusion"]?.violations[0];
  };

  it("is the cause when it does not happen without that request", async () => {
    const proven = await proveCut(true);
    expect(proven).toMatchObject({ cause: "overrun", proof: { standing: "proven", run: { change: { f: "extend" } } } });
    expect(proven?.explanation).toContain(
      "That extension took effect, and its client did not know. Without that operation",
    );
  });

  it("is no cause when it happens all the same: then none is named, not even as probable", async () => {
    const refuted = await proveCut(false);
    expect(refuted).toMatchObject({ events: [1, 5], proof: { standing: "refuted", dropped: [{ cause: "overrun" }] } });
    expect(refuted?.explanation).toContain(
      "It is not known what led to it: runs for comparison refuted each possible cause.",
    );
    expect(refuted?.explanation).not.toMatch(/[Pp]robably|took effect, and/);
  });
});

describe("a fault after the violation", () => {
  const withLater = planSchema.parse({
    ...plan,
    faults: [
      { kind: "eviction", at: { atMs: 5 } },
      { kind: "eviction", at: { atMs: 2500 } },
    ],
  });
  /** Without the early eviction the same two clients are later by so much that the late one meets them. */
  const broken = (early: boolean, late: boolean): History => {
    const recording = start().acquire(0, 0, "a", { ttlMs: 10_000 });
    if (early) {
      recording.fault(5, "eviction", { step: 0 }).acquire(150, 1, "b", { ttlMs: 10_000 }).release(2000, 1, "b");
      recording.release(2100, 0, "a", false);
      return (late ? recording.fault(2500, "eviction", { step: 1 }) : recording).history;
    }
    recording.fail(150, 1);
    if (late) recording.fault(2500, "eviction", { step: 1 }).acquire(2600, 1, "b2", { ttlMs: 10_000 });
    else recording.fail(2600, 1);
    return recording.release(2800, 0, "a", !late).history;
  };

  it("is neither accused nor a reason to acquit one before it", async () => {
    const original = { ...judged(broken(true, true)), plan: withLater };
    const verdict = await proveCauses(original, ({ plan: { faults } }) => {
      const [early, late] = faults.map(({ kind }) => kind !== "left-out");
      return Promise.resolve({ ...judged(broken(early === true, late === true)), plan: withLater, traceHash: "t" });
    });
    for (const property of ["lease-exclusion", "linearizability"] as const) {
      const [violation] = verdict.properties[property]?.violations ?? [];
      expect(violation).toMatchObject({ cause: "eviction", fault: 2, proof: { standing: "proven" } });
      expect(violation?.explanation).toContain(
        "Without eviction at 5 ms (event 2), and without what came after the violation, the same schedule breaks nothing.",
      );
    }
  });
});

describe("a promotion", () => {
  const withFailover = planSchema.parse({
    ...plan,
    faults: [
      { kind: "failover", at: { atMs: 5 } },
      { kind: "clock-jump", at: { atMs: 8 } },
    ],
  });

  it("is not blamed for what a fault did that cannot have led to it", async () => {
    const broken = (): History =>
      start()
        .acquire(0, 0, "a", { ttlMs: 10_000 })
        .fault(5, "failover", { step: 0, targets: ["node-0"] })
        .fault(8, "clock-jump", { step: 1, targets: ["node-0"] })
        .acquire(30, 1, "b", { ttlMs: 10_000 })
        .fault(175, "promotion", { targets: ["node-1"] })
        .release(2000, 1, "b")
        .release(2100, 0, "a", false).history;
    const original = { ...judged(broken()), plan: withFailover };
    const verdict = await proveCauses(original, ({ plan: { faults } }) => {
      const jumps = faults.some(({ kind }) => kind === "clock-jump");
      return Promise.resolve({ ...judged(jumps ? broken() : kept()), plan: withFailover, traceHash: "t" });
    });
    const [violation] = verdict.properties["lease-exclusion"]?.violations ?? [];
    expect(violation).toMatchObject({ cause: "clock-jump", fault: 3, proof: { standing: "proven" } });
  });
});

describe("an operation", () => {
  /** Without these operations, by client. */
  type Without = readonly number[];
  const stop = { kind: "pause-client", at: { atMs: 20 } };

  /**
   * `z` was given back late, and `a` was lost: by the release of client-1, which was still under way, or by the one before
   * it of client-0 itself.
   */
  const lost = (): Recording =>
    start()
      .acquire(0, 1, "z", { ttlMs: 100 })
      .leave(10, 1, "z")
      .fault(20, "pause-client", { step: 0, targets: ["client-1"] })
      .acquire(150, 0, "y", { ttlMs: 10 })
      .leave(170, 0, "y")
      .info(171, 0, "release")
      .acquire(180, 0, "a", { ttlMs: 9000 });
  const robbed = (): History =>
    lost().info(190, 1, "release").acquire(200, 1, "b").release(300, 1, "b").release(400, 0, "a", false).history;

  async function proveRobbery(
    outcome: (without: Without) => History,
    of: Property = "lease-exclusion",
  ): Promise<Violation> {
    const original = { ...judged(robbed()), plan: { ...plan, faults: planSchema.shape.faults.parse([stop]) } };
    const { properties } = await proveCauses(original, ({ alteration, plan }) => {
      const without = alteration?.kind === "leave-out" ? [alteration.client] : [];
      const history = plan.faults.some(({ kind }) => kind === "left-out") ? robbed() : outcome(without);
      return Promise.resolve({ ...judged(history), plan, traceHash: "t" });
    });
    const violation = properties[of]?.violations[0];
    if (violation === undefined) throw new Error("nothing was violated");
    return violation;
  }

  /** Client-0 keeps `y`, so that it is granted `a` too late. */
  const withoutOwn = (): History =>
    start()
      .acquire(0, 1, "z", { ttlMs: 100 })
      .leave(10, 1, "z")
      .fault(20, "pause-client", { step: 0, targets: ["client-1"] })
      .acquire(150, 0, "y", { ttlMs: 10 })
      .info(190, 1, "release")
      .acquire(300, 1, "b")
      .release(310, 1, "b")
      .acquire(330, 0, "a").history;

  it("is the cause when the victim keeps its lock without it", async () => {
    // The answer to what was left out is made up: that it finds nothing within its lease is no violation of the lock.
    const keeps = (): History =>
      start()
        .acquire(0, 1, "z", { ttlMs: 100 })
        .release(10, 1, "z", false)
        .fault(20, "pause-client", { step: 0, targets: ["client-1"] })
        .acquire(150, 0, "y", { ttlMs: 10 })
        .leave(170, 0, "y")
        .info(171, 0, "release")
        .acquire(180, 0, "a", { ttlMs: 9000 })
        .fail(200, 1)
        .release(400, 0, "a").history;
    expect(checkHistory(keeps()).properties.linearizability?.verdict).toBe("invalid");
    for (const property of ["lease-exclusion", "linearizability"] as const) {
      const violation = await proveRobbery(([client]) => (client === 1 ? keeps() : withoutOwn()), property);
      expect(violation).toMatchObject({ cause: "foreign-release", proof: { standing: "proven" } });
      expect(violation.explanation).toContain("release by client-1");
    }
  });

  it("is not proven when the victim is never granted without it, nor dropped when its fault hits another one", async () => {
    const again = (): History =>
      start()
        .acquire(0, 1, "z", { ttlMs: 100 })
        .acquire(150, 0, "y", { ttlMs: 10 })
        .leave(170, 0, "y")
        .info(171, 0, "release")
        .acquire(180, 0, "a", { ttlMs: 9000 })
        .fault(190, "pause-client", { step: 0, targets: ["client-1"] })
        .acquire(200, 1, "b")
        .release(300, 1, "b")
        .release(400, 0, "a", false).history;
    const violation = await proveRobbery(([client]) => (client === 1 ? again() : withoutOwn()));
    expect(violation).toMatchObject({ cause: "foreign-release", proof: { standing: "probable" } });
    expect(violation.explanation).toContain("release by client-1");
    expect(violation.explanation).toContain(
      "pause-client of client-1 at 20 ms (event 3) comes at another moment there",
    );
  });
});
