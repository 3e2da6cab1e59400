import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import type { Grant, LockDriver } from "../../harness/core/lock-driver.ts";
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

function workloads(
  supports: Supports | undefined,
  renews = false,
  outlives = false,
  extends_ = false,
): readonly Workload[] {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives, supports };
  return smallWorkloads(options, { extends: extends_, reenters: false, renews, tellsRenewals: renews });
}

function hasTasks({ clients }: Plan): boolean {
  return clients.some((client) => tasksOf(client).length > 1);
}

/** The workloads with tasks in whose run without faults the lock does not keep the property. */
async function breaking(driver: LockDriver, property: Property, renews = false): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, plan } of workloads(concurrent, renews).filter(({ plan }) => hasTasks(plan))) {
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
  ).toEqual([[2], [2, 2], [3], [2, 1], [2, 1], [2, 2], [2, 2], [2, 1]]);
});

test("two requests of a process extend at one moment where the lock extends, and each message belongs to one of them", async () => {
  const name = "two tasks of one client, each with its key, extend at one moment";
  const { plan } = workloads(concurrent, false, false, true).find((each) => each.name === name) ?? expect.unreachable();
  const driver = composeLock({ protocol: ownedKey, supports: concurrent });
  const { record, messages } = await runSimulated(plan, { title: name, required: [], driver, messages: true });
  const { events } = record.history;
  const extended = events.filter(({ type, f }) => type === "invoke" && f === "extend");
  const [first, second] = events.filter(({ f }) => f === "extend");
  expect([first?.type, second?.type, extended.length]).toEqual(["invoke", "invoke", 2]);
  const asked = messages.filter(({ operation }) => extended.some(({ index }) => index === operation));
  expect([...new Set(asked.map(({ keys, operation }) => `${operation} ${keys[0]}`))]).toHaveLength(2);
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

test("two requests of a process take and give back their keys at one moment", async () => {
  const name = "two tasks of one client, each with its key, from one moment on";
  const { plan } = workloads(concurrent).find((each) => each.name === name) ?? expect.unreachable();
  const driver = composeLock({ protocol: ownedKey, supports: concurrent });
  const { record } = await runSimulated(plan, { title: name, required: [], driver });
  for (const f of ["acquire", "release"]) {
    const [first, second] = record.history.events.filter((event) => event.f === f);
    expect([first, second]).toMatchObject([{ type: "invoke" }, { type: "invoke" }]);
    expect(first?.process).not.toBe(second?.process);
  }
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

/** Who gives up gives back what its process holds of the key, which is the hold of another request. */
const givingBack: LockDriver = {
  supports: concurrent,
  async connect(environment) {
    const lock = await composeLock({ protocol: ownedKey }).connect(environment);
    const held = new Map<string, Grant>();
    return {
      async acquire(key, asked) {
        const answer = await lock.acquire(key, asked);
        const other = held.get(key);
        if (answer.type === "ok") held.set(key, answer.value);
        else if (other !== undefined) await lock.release(other);
        return answer;
      },
      release: (grant) => lock.release(grant),
      [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
    };
  },
};

test("a request that gives up takes the lock from another one of its process", async () => {
  expect(await breaking(givingBack, "lease-exclusion")).toContain("two tasks of one client, of which one gives up");
});

/** Each hold has a timer, and all of them renew the latest one. */
function renewing(what: "its own" | "the latest"): LockDriver {
  return {
    supports: concurrent,
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      const timers = new Map<string, NodeJS.Timeout>();
      const tell: Parameters<NonNullable<typeof lock.onRenewed>>[0][] = [];
      let latest: Grant | undefined;
      return {
        async acquire(key, asked) {
          const answer = await lock.acquire(key, asked);
          if (answer.type !== "ok") return answer;
          const own = answer.value;
          latest = own;
          const renew = async () => {
            const validFromMs = performance.now();
            const renewed = await lock.extend?.(what === "its own" ? own : (latest ?? own), asked.ttlMs);
            if (renewed?.type !== "ok") return;
            for (const each of tell) each({ key, owner: own.owner, validForMs: asked.ttlMs, validFromMs });
          };
          timers.set(
            own.owner,
            setInterval(() => void renew(), asked.ttlMs / 3),
          );
          return answer;
        },
        release(grant) {
          clearInterval(timers.get(grant.owner));
          return lock.release(grant);
        },
        onRenewed: (listener) => void tell.push(listener),
        async [Symbol.asyncDispose]() {
          for (const timer of timers.values()) clearInterval(timer);
          await lock[Symbol.asyncDispose]();
        },
      };
    },
  };
}

test("what a process holds of one key is not renewed once it has another one", { tags: "long" }, async () => {
  expect(await breaking(renewing("the latest"), "lease-exclusion", true)).toEqual([
    "two tasks of one client, each with its key for long",
  ]);
  expect(await breaking(renewing("its own"), "lease-exclusion", true)).toEqual([]);
});

test("a smaller plan does a section of a task in the order of the others", () => {
  const plan = workloads(concurrent).find(({ name }) => name === "two tasks of one client")?.plan;
  if (plan === undefined) throw new Error("there is no such workload");
  expect(
    [...smallerPlans(plan)].some((smaller) => smaller.clients[0]?.sections.length === 3 && !hasTasks(smaller)),
  ).toBe(true);
});

/** The process keeps its grants by key: whoever releases gives back what the process was granted last. */
const lastOfKey: LockDriver = {
  supports: concurrent,
  async connect(environment) {
    const lock = await composeLock({ protocol: ownedKey }).connect(environment);
    const last = new Map<string, Grant>();
    return {
      async acquire(key, options) {
        const answer = await lock.acquire(key, options);
        if (answer.type === "ok") last.set(key, answer.value);
        return answer;
      },
      release: (grant) => lock.release(last.get(grant.key) ?? grant),
      [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
    };
  },
};

test("a task that outlives its lease releases what another task of its client holds", async () => {
  const name = "a task of one client releases late, while another one of it holds";
  const named = (renews: boolean, outlives: boolean) =>
    workloads(concurrent, renews, outlives).find((workload) => workload.name === name);
  // A lock that renews and tells so keeps the lease.
  expect([named(false, false), named(true, false) === undefined]).toEqual([undefined, false]);
  const { plan } = named(false, true) ?? expect.unreachable();
  const broken = async (driver: LockDriver) =>
    (await runSimulated(plan, { title: name, required: ["owner-release"], driver })).record.verdict.verdict;
  expect(await broken(lastOfKey)).toBe("invalid");
  expect(await broken(composeLock({ protocol: ownedKey, supports: concurrent }))).toBe("valid");
});
