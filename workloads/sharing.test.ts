import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "../harness/core/plan.ts";
import type { Supports } from "../harness/core/sharing.ts";
import { topologySchema } from "../harness/core/topology.ts";
import { contentionPlans } from "./contention.ts";
import { contenders } from "./contenders.ts";
import { sideBySide } from "./deviations/side-by-side.ts";
import { smallWorkloads } from "./deviations/workloads.ts";

const lock = "./mine.ts";
const topology = topologySchema.parse({ kind: "single" });

function drawn(supports: Supports | undefined): readonly Plan[] {
  return fc.sample(contentionPlans({ lock, topology, faults: [], supports }), { seed: 5, numRuns: 100 });
}

function small(supports: Supports): readonly Plan[] {
  const options = { lock, topology, fencing: true, seed: 1, outlives: true, supports };
  return smallWorkloads(options, { extends: true, reenters: false }).map(({ plan }) => plan);
}

function sectionsOf({ clients }: Plan) {
  return clients.flatMap(({ sections }) => sections);
}

test("a lock that supports nothing more is asked for nothing more", () => {
  const sections = drawn(undefined).flatMap(sectionsOf);
  expect(sections.filter(({ limit, permits, mode }) => limit ?? permits ?? mode)).toEqual([]);
  expect(drawn({})).toEqual(drawn(undefined));
});

test("a semaphore has one limit, fewer permits than are wanted, and who seeks it at the end wants all", () => {
  const plans = [
    ...drawn({ permits: true }),
    ...small({ permits: true }),
    contenders({ lock, topology, seed: 1, clients: 3, sections: 1, supports: { permits: true } }),
  ];
  for (const plan of plans) {
    const sections = sectionsOf(plan);
    expect(new Set(sections.map(({ limit }) => limit)).size).toBe(1);
    for (const { limit = 0, permits = 1, mode, steps } of sections) {
      expect(permits).toBeLessThanOrEqual(limit);
      expect(mode).toBeUndefined();
      expect(steps.filter((step) => step.do === "read")).toEqual([]);
      if (steps.length === 0) expect(permits).toBe(limit);
    }
  }
  const limits = new Set(plans.flatMap(sectionsOf).map(({ limit }) => limit));
  expect(limits).toEqual(new Set([1, 2, 3]));
  const wants = (plan: Plan): number => plan.clients.length;
  expect(plans.filter((plan) => wants(plan) > (sectionsOf(plan)[0]?.limit ?? 0)).length).toBeGreaterThan(20);
});

test("a lock of several keys is asked for overlapping ones, in either order, and for one of them at the end", () => {
  const plans = [...drawn({ severalKeys: true }), ...small({ severalKeys: true })];
  const sections = plans.flatMap(sectionsOf);
  const sets = new Set(sections.map(({ key, alsoKeys = [] }) => [key, ...alsoKeys].join()));
  for (const set of ["k1,k2", "k2,k1", "k2,k3"]) expect(sets).toContain(set);
  for (const { steps, alsoKeys, ttlMs, waitMs } of plans.flatMap(sectionsOf)) {
    if (steps.length === 0 && waitMs > ttlMs) expect(alsoKeys).toBeUndefined();
  }
});

test("a lock with a queue has up to four clients, and is asked for nothing more than others", () => {
  const plans = drawn({ fair: true });
  expect(new Set(plans.map(({ clients }) => clients.length))).toEqual(new Set([2, 3, 4]));
  const asked = plans.flatMap(sectionsOf).filter(({ limit, mode, alsoKeys }) => limit ?? mode ?? alsoKeys);
  expect(asked).toEqual([]);
});

test("side by side, each workload has keys of its own", () => {
  const plans = small({ severalKeys: true });
  const keysOf = (plan: Plan) => new Set(sectionsOf(plan).flatMap(({ key, alsoKeys = [] }) => [key, ...alsoKeys]));
  const all = sideBySide(plans);
  const named = all.flatMap((plan) => [...keysOf(plan)]);
  expect(new Set(named).size).toBe(named.length - shared(all.map(keysOf)));
  expect(named.length).toBe(plans.flatMap((plan) => [...keysOf(plan)]).length);
});

/** How many names occur again in a later set: groups of workloads number their keys again. */
function shared(sets: readonly ReadonlySet<string>[]): number {
  return sets.reduce((sum, { size }) => sum + size, 0) - new Set(sets.flatMap((set) => [...set])).size;
}

test("a read-write lock has readers, which do not write, and writers", () => {
  const plans = [...drawn({ modes: true }), ...small({ modes: true })];
  const sections = plans.flatMap(sectionsOf);
  const readers = sections.filter(({ mode }) => mode === "shared");
  expect(readers.flatMap(({ steps }) => steps).filter((step) => step.do === "write")).toEqual([]);
  expect(sections.filter(({ limit }) => limit !== undefined)).toEqual([]);
  expect(sections.filter(({ mode }) => mode === "exclusive").length).toBeGreaterThan(50);
  expect(readers.length).toBeGreaterThan(50);
});

test("who seeks a read-write lock at the end does so as a reader, before it does as a writer", () => {
  const [first] = contendersThatSeek();
  const wants = (first?.sections ?? []).map(({ mode, steps }) => `${mode}${steps.length === 0 ? " seeker" : ""}`);
  expect(wants.slice(-2)).toEqual(["shared seeker", "exclusive seeker"]);
  // A writer may remove what keeps readers out, and the other way round: one of them alone hides it.
  expect(wants.filter((each) => each.endsWith("seeker"))).toHaveLength(2);
});

/** The clients of the first small workload in which one seeks the lock at the end, that one first. */
function contendersThatSeek(): Plan["clients"] {
  const seeks = ({ sections }: Plan["clients"][number]) => sections.at(-1)?.steps.length === 0;
  const plan = small({ modes: true }).find(({ clients }) => clients.some(seeks)) ?? expect.unreachable();
  return plan.clients.toSorted((one, other) => Number(seeks(other)) - Number(seeks(one)));
}
