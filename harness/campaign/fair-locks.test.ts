// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "./run-simulated.ts";
import { expect, test } from "vitest";
import { fairBarging } from "../../lock-impl/flawed/fair-barging.ts";
import { fairStack } from "../../lock-impl/flawed/fair-stack.ts";
import { fair } from "../../lock-impl/ladder/fair.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import { smallWorkloads } from "../../workloads/deviations/workloads.ts";
import { PLAN_FORMAT, PLAN_VERSION, type Plan, type PlanInput, planSchema } from "../core/plan.ts";
import { topologySchema } from "../core/topology.ts";
import { requiredProperties } from "./required-properties.ts";

const PROPERTY = "first-come-first-served";
const topology = topologySchema.parse({ kind: "single" });

async function run(lock: LockEntry, plan: Plan) {
  const driver = await lock.load();
  return runSimulated(plan, { title: lock.name, required: requiredProperties(plan), driver });
}

function queuesOf({ name: lock, supports }: LockEntry): readonly Plan[] {
  const options = { lock, topology, fencing: false, seed: 1, outlives: false, supports };
  const workloads = smallWorkloads(options, { extends: true, reenters: false });
  return workloads.filter(({ name }) => name.includes("queue")).map(({ plan }) => plan);
}

/** client-0 holds for 2 s; the others ask for the lock one after another. */
function waitersOf(waits: readonly object[], faults: PlanInput["faults"] = []): Plan {
  const section = { key: "k1", ttlMs: 20_000, waitMs: 10_000, steps: [] };
  const asks = (index: number, more: object) => ({
    sections: [{ ...section, after: { atMs: 100 * (index + 1) }, ...more }],
  });
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "fair",
    topology,
    clients: [
      { sections: [{ ...section, steps: [{ do: "hold", forMs: 2000 }] }] },
      ...waits.map((more, index) => asks(index, more)),
    ],
    faults,
    limitMs: 30_000,
  });
}

/** The processes in the order in which they were granted the lock, with the times in milliseconds. */
async function grantsOf(plan: Plan): Promise<readonly (readonly [process: number | string, atMs: number])[]> {
  const { history } = (await run(fair, plan)).record;
  return history.events
    .filter(({ type, f }) => type === "ok" && f === "acquire")
    .map(({ process, time }) => [process, time / 1e6] as const);
}

test("there are workloads in which clients queue, for locks that support that only", () => {
  expect(queuesOf(fair).length).toBeGreaterThan(2);
  expect(Math.max(...queuesOf(fair).map(({ clients }) => clients.length))).toBeGreaterThan(3);
  expect(queuesOf({ ...fair, supports: {} })).toEqual([]);
});

test("a fair lock serves those who queue in turn, and the same seed gives the same run", async () => {
  for (const plan of queuesOf(fair)) {
    const first = await run(fair, plan);
    const { verdict } = first.record;
    expect(verdict.required).toContain(PROPERTY);
    expect([verdict.verdict, verdict.properties[PROPERTY]?.verdict]).toEqual(["valid", "valid"]);
    expect(verdict.margins?.mostPassed).toBeUndefined();
    expect((await run(fair, plan)).traceHash).toBe(first.traceHash);
  }
});

test.each([fairBarging, fairStack])("$name lets some pass the queue", async (lock) => {
  const verdicts = [];
  for (const plan of queuesOf(lock)) verdicts.push((await run(lock, plan)).record.verdict);
  const passed = verdicts.filter(({ properties }) => properties[PROPERTY]?.verdict === "invalid");
  expect(passed.length).toBeGreaterThan(0);
  for (const { properties, margins } of passed) {
    expect(properties[PROPERTY]?.violations[0]).toMatchObject({ cause: "overtaken", proof: { standing: "proven" } });
    expect(margins?.mostPassed?.grants).toBeGreaterThan(0);
  }
});

test("a waiter that gives up leaves the queue, and one try has no place in it", async () => {
  const grants = await grantsOf(waitersOf([{ waitMs: 1000 }, { waitMs: 0 }, {}]));
  expect(grants.map(([process]) => process)).toEqual([0, 3]);
  expect(grants[1]?.[1]).toBeLessThan(2100);
});

test("a waiter that dies keeps its place for a second", async () => {
  const grants = await grantsOf(
    waitersOf([{}, {}], [{ kind: "kill-client", at: { atMs: 1900 }, params: { targets: ["client-1"] } }]),
  );
  expect(grants.map(([process]) => process)).toEqual([0, 2]);
  expect(grants[1]?.[1]).toBeGreaterThan(2700);
  expect(grants[1]?.[1]).toBeLessThan(3000);
});

test("a waiter that did not show itself for a second has another place, and says so", async () => {
  const pause = {
    kind: "pause-client",
    at: { atMs: 300 },
    until: { atMs: 1800 },
    params: { targets: ["client-1"] },
  } as const;
  const { record } = await run(fair, waitersOf([{}, {}], [pause]));
  const queued = record.history.events.filter(({ type }) => type === "queued");
  expect(queued.map(({ process }) => process)).toEqual([1, 2, 1]);
  expect(record.verdict.properties[PROPERTY]?.verdict).not.toBe("invalid");
});
