import { describe, expect, it } from "vitest";
import { checkHistory } from "../check/check.ts";
import { Recording } from "../check/testing/recording.ts";
import type { History } from "../history/history.ts";
import { planSchema } from "../core/plan.ts";
import type { Violation } from "../core/verdict.ts";
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
async function prove(original: History, outcome: (left: readonly string[]) => History | Error): Promise<Violation> {
  const asked: string[] = [];
  const execute = ({ plan }: ChangedRun) => {
    const left = plan.faults.map(({ kind }) => kind).filter((kind) => kind !== "left-out");
    asked.push(left.join());
    const found = outcome(left);
    return found instanceof Error ? Promise.reject(found) : Promise.resolve({ ...judged(found), traceHash: "t" });
  };
  const { properties } = await proveCauses(judged(original), execute);
  // Violations that need the same run share it.
  expect(new Set(asked).size).toBe(asked.length);
  const violation = properties["lease-exclusion"]?.violations[0];
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

  it("is dropped when it still happens, for the next", async () => {
    const violation = await prove(twice("eviction", "clock-jump"), (left) =>
      left.includes("eviction") ? twice("eviction") : kept(),
    );
    expect(violation).toMatchObject({ cause: "eviction", proof: { dropped: [{ cause: "clock-jump" }] } });
    expect(violation.explanation).not.toContain("clock-jump");
    expect(violation.hypotheses?.map(({ cause }) => cause)).toEqual(["eviction", "clock-jump", "double-grant"]);
  });

  it("is the lock itself when it happens without any of them", async () => {
    const violation = await prove(twice("eviction"), () => twice());
    expect(violation).toMatchObject({ cause: "double-grant", proof: { standing: "proven" } });
    expect(violation.explanation).toContain("Without eviction at 5 ms (event 2), it still happens.");
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
