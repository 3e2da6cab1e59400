import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { type Plan, tasksOf } from "../../harness/core/plan.ts";
import type { Supports } from "../../harness/core/sharing.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import type { Property } from "../../harness/core/verdict.ts";
import { ownerValueInField } from "../../lock-impl/flawed/owner-value-in-field.ts";
import { waiterOverwritten } from "../../lock-impl/flawed/waiter-overwritten.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { handedOn } from "../../lock-impl/testing/handed-on.ts";
import { entriesOfProcess } from "../../lock-impl/testing/entries-of-process.ts";
import { smallerPlans } from "./smaller-plans.ts";
import { smallWorkloads, type Workload } from "./workloads.ts";

const concurrent: Supports = { concurrent: true };

function workloads(supports: Supports | undefined): readonly Workload[] {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false, supports };
  return smallWorkloads(options, { extends: false, reenters: false });
}

function hasTasks({ clients }: Plan): boolean {
  return clients.some((client) => tasksOf(client).length > 1);
}

/** The workloads with tasks in whose run without faults the lock does not keep the property. */
async function breaking(driver: LockDriver, property: Property): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, plan } of workloads(concurrent).filter(({ plan }) => hasTasks(plan))) {
    const { record } = await runSimulated(plan, { title: name, required: [property], driver });
    if (record.verdict.verdict !== "valid") names.push(name);
  }
  return names;
}

test("clients have several tasks only where the lock supports that, and nothing else changes", () => {
  const [without, with_] = [workloads(undefined), workloads(concurrent)];
  expect(without.filter(({ plan }) => hasTasks(plan))).toEqual([]);
  expect(with_.filter(({ plan }) => !hasTasks(plan))).toEqual(without);
  expect(
    with_.filter(({ plan }) => hasTasks(plan)).map(({ plan }) => plan.clients.map((client) => tasksOf(client).length)),
  ).toEqual([[2], [2, 2], [3], [2, 1], [2, 1]]);
});

test("a sound lock keeps its promises in each of them", async () => {
  const driver = composeLock({ protocol: ownedKey, supports: concurrent });
  for (const property of ["lease-exclusion", "deadlock-freedom", "linearizability", "owner-release"] as const)
    expect(await breaking(driver, property)).toEqual([]);
});

test("a second request of the process is let in", async () => {
  expect(await breaking(entriesOfProcess, "lease-exclusion")).toContain("two tasks of one client wait for a third");
});

test("a field with the owner value is overwritten by the next request", async () => {
  const names = await breaking(await ownerValueInField.load(), "linearizability");
  expect(names).toContain("two tasks of one client");
  expect(names).toContain("two tasks of one client, each with its key");
});

test("a waiter is forgotten where another request of the process waits after it", async () => {
  expect(await breaking(await waiterOverwritten.load(), "deadlock-freedom")).toContain(
    "two tasks of one client wait for a third",
  );
});

test("a lease is handed on within the process, and told as a new one", async () => {
  expect(await breaking(handedOn(true), "lease-exclusion")).toEqual([
    "two tasks of one client for longer than a lease",
  ]);
  expect(await breaking(handedOn(false), "lease-exclusion")).toEqual([]);
});

test("a smaller plan does a section of a task in the order of the others", () => {
  const plan = workloads(concurrent).find(({ name }) => name === "two tasks of one client")?.plan;
  if (plan === undefined) throw new Error("there is no such workload");
  expect(
    [...smallerPlans(plan)].some((smaller) => smaller.clients[0]?.sections.length === 3 && !hasTasks(smaller)),
  ).toBe(true);
});
