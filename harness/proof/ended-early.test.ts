// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { expect, it } from "vitest";
import { violationsOf } from "../check/testing/judge.ts";
import { Recording } from "../check/testing/recording.ts";
import { type Plan, type PlanInput, planSchema } from "../core/plan.ts";
import { type Hypothesis, PROPERTIES } from "../core/verdict.ts";
import { CounterfactualRuns } from "./counterfactual-runs.ts";
import { endedEarly } from "./ended-early.ts";

function planOf(lock: string, clients: PlanInput["clients"]): Plan {
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock,
    topology: { kind: "single" },
    resource: { fencing: false },
    clients,
    faults: [],
    limitMs: 30_000,
  });
}

async function explanationsOf(lock: string, holdMs: number, atMs = 20): Promise<readonly string[]> {
  const section = { key: "k1", ttlMs: 1900, waitMs: 3700 } as const;
  const clients: PlanInput["clients"] = [
    { sections: [{ ...section, steps: [{ do: "hold", forMs: holdMs }] }] },
    { sections: [{ ...section, after: { atMs }, steps: [{ do: "hold", forMs: 10 }] }] },
  ];
  const plan = planOf(lock, clients);
  const { record } = await proveSimulated(await runSimulated(plan, { title: "", required: PROPERTIES }));
  const found = record.verdict.properties["lease-exclusion"]?.violations ?? [];
  return found.map(({ cause, explanation }) => `${cause}: ${explanation}`);
}

const ENDED =
  "The lock ended the lease of client-0 before the time that it had promised, because it ended it too soon or counted it from too late an instant, and then granted the key again";

it("tells a lease that ends early from a lock that grants twice, with what the server shows of it", async () => {
  const [explanation, ...others] = await explanationsOf("ttl-in-seconds", 1800);
  expect(others).toEqual([]);
  expect(explanation).toMatch(/^double-grant: /);
  expect(explanation).toMatch(
    /The lock promised client-0 its lease for longer than the server kept it: node-0 began it at [\d.]+ ms and ended it at 1,[\d.]+ ms, and gave the key to client-1 only at 1,[\d.]+ ms\. If client-1 does not ask for the lock, client-0 is told within its lease/,
  );
});

it("says that the lock granted twice if its holder still has it when nobody else asks", async () => {
  const [explanation] = await explanationsOf("get-then-set", 800, 0);
  expect(explanation).toMatch(/^double-grant: .* the lock itself granted it twice/);
});

it("shows nothing where the holder gives the lock up after its lease", async () => {
  for (const explanation of await explanationsOf("ttl-in-seconds", 1950)) expect(explanation).not.toContain(ENDED);
});

const held = (): Recording => new Recording({ clients: 3 }).acquire(0, 0, "a");

/**
 * Whether a run in which only this happens, and then its holder is told that it holds nothing, shows that the lease ended early.
 *
 * @param isTold whether the lock tells a client of the original run that it did hold
 */
async function isShownBy(alone: Recording, isTold = true, ground?: Hypothesis["ground"]): Promise<boolean> {
  const both = held().acquire(500, 1, "b").release(600, 1, "b", isTold);
  const [violation] = violationsOf("lease-exclusion", both);
  const proven = violation?.hypotheses?.find(({ cause }) => cause === "double-grant");
  if (violation === undefined || proven === undefined) throw new Error("the lock was not granted twice");
  const verdict = { verdict: "invalid", required: [], properties: {}, reasons: [], remarks: [] } as const;
  const original = { plan: planOf("single", [{ sections: [] }]), history: both.history, verdict };
  const run = { ...original, history: alone.release(700, 0, "a", false).history, traceHash: "" };
  const runs = new CounterfactualRuns(original, () => Promise.resolve(run));
  return (await endedEarly(original, runs, violation, { ...proven, ...(ground && { ground }) })) !== undefined;
}

it("shows nothing where a third client may have taken the lock", async () => {
  expect(await isShownBy(held())).toBe(true);
  expect(await isShownBy(held().acquire(500, 2, "c"))).toBe(false);
  expect(await isShownBy(held().release(500, 2, "c", true))).toBe(false);
  expect(await isShownBy(held().fault(500, "eviction"))).toBe(false);
  expect(await isShownBy(held().release(500, 0, "a", true))).toBe(false);
});

it("shows nothing of a lock that never tells a client that it held, nor of one that two places granted", async () => {
  expect(await isShownBy(held(), false)).toBe(false);
  expect(await isShownBy(held(), true, { on: "history" })).toBe(false);
});
