import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "./learn.ts";
import { runSimulated } from "../run-simulated.ts";
import { faultsFor } from "../possible-faults.ts";
import { composeLock } from "../../../lock-impl/parts/compose.ts";
import { map, ownedKey } from "../../../lock-impl/parts/protocol.ts";
import { fieldsOfOneKey } from "../../../lock-impl/testing/fields-of-one-key.ts";
import { numberedOwners } from "../../../lock-impl/testing/numbered-owners.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import type { Plan } from "../../core/plan.ts";
import { requiredProperties } from "../required-properties.ts";
import { topologySchema } from "../../core/topology.ts";
import { isMessageTrigger } from "../../core/trigger.ts";
import { systematicPlans } from "./systematic-plans.ts";

test("a fault comes in the way under which the lock promises more, and less often in the other", async () => {
  const topology = topologySchema.parse({ kind: "single", persistence: "always" });
  const { plans } = await systematicPlans({
    drawnFrom: { lock: "single", topology, faults: faultsFor(["restart-node"], "simulated", topology) },
    seed: 1,
    learn: learnSimulated(),
    skills: { extends: false, reenters: false },
    promises: (plan) => requiredProperties(plan).length,
    most: 60,
  });
  const restarts = [...plans].flatMap((plan) => plan.faults.map(({ params }) => params["keepData"]));
  const times = (keepData: boolean): number => restarts.filter((each) => each === keepData).length;
  expect(times(false)).toBeGreaterThan(0);
  expect(times(true)).toBeGreaterThan(times(false));
});

test("beside a grant, the clock of a client steps forward and back early in a search", { tags: "long" }, async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const { plans } = await systematicPlans({
    drawnFrom: { lock: "single", topology, faults: faultsFor(undefined, "simulated", topology), maxHoldShare: 1.3 },
    seed: 1,
    learn: learnSimulated(),
    skills: { extends: false, reenters: false },
    // As of a lock that says that it does not depend on the clocks of its clients.
    promises: ({ faults }) => (String(faults[0]?.params["targets"]).startsWith("node") ? 3 : 5),
    most: 200,
  });
  const steps = [...plans].flatMap(({ faults }) => faults).filter(({ params }) => "byMs" in params);
  const directions = steps.flatMap(({ at, params: { targets, byMs } }) =>
    "on" in at && at.on === "acquire:ok" && String(targets).startsWith("client") ? [Math.sign(Number(byMs))] : [],
  );
  expect(new Set(directions)).toEqual(new Set([1, -1]));
});

test("each workload has deviations among the first", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const { plans } = await systematicPlans({
    drawnFrom: { lock: "reentrant", topology, faults: faultsFor(["reset"], "simulated", topology), maxHoldShare: 1.3 },
    seed: 1,
    learn: learnSimulated(),
    skills: { extends: true, reenters: true },
    promises: () => 1,
    most: 100,
  });
  const all = [...plans];
  const workloads = all.filter(({ faults }) => faults.length > 0).map(({ clients }) => JSON.stringify(clients));
  expect(new Set(workloads).size).toBe(34);
  expect(new Set(all.map((plan) => JSON.stringify(plan))).size).toBe(all.length);
});

test(
  "of plans with one fault, all are deviations but the workloads in which a client dies",
  { tags: "long" },
  async () => {
    const topology = topologySchema.parse({ kind: "single" });
    const { plans, workloads, countSingles } = await systematicPlans({
      drawnFrom: {
        lock: "single",
        topology,
        faults: faultsFor(["kill-client"], "simulated", topology),
        maxHoldShare: 1.3,
      },
      seed: 1,
      learn: learnSimulated(),
      skills: { extends: true, reenters: false },
      promises: () => 1,
      most: "all",
    });
    const withOne = [...plans].filter(({ faults }) => faults.length === 1);
    expect(withOne.filter((plan) => workloads.has(plan))).toHaveLength(2);
    expect(withOne.filter((plan) => !workloads.has(plan))).toHaveLength(countSingles());
  },
);

test("a fault divides servers that vote as early as it hits all of them, at each command of a client", async () => {
  const topology = topologySchema.parse({ kind: "redlock" });
  const { plans, bases } = await systematicPlans({
    drawnFrom: { lock: "redlock", topology, faults: faultsFor(["stall"], "simulated", topology) },
    seed: 1,
    learn: learnSimulated(),
    skills: { extends: true, reenters: false },
    promises: () => 1,
    most: 20,
  });
  const extensions = bases.flatMap(({ history, messages, plan }) =>
    messages
      .filter(({ operation = -1, client }) => client === 0 && history.events[operation]?.f === "extend")
      .map(({ command, count, server }) => JSON.stringify([plan.clients, command, count, server])),
  );
  const struck = [...plans].flatMap(({ clients, faults: [fault] }) => {
    if (fault === undefined || !isMessageTrigger(fault.at) || fault.at.moment !== "before") return [];
    const { command, count, server, client } = fault.at;
    const isExtension = client === 0 && extensions.includes(JSON.stringify([clients, command, count, server]));
    return isExtension ? [JSON.stringify(fault.params).split("node-").length - 1] : [];
  });
  expect(new Set(struck)).toEqual(new Set([3, 5]));
});

test.each([
  ["one that they break", fieldsOfOneKey, ["k1 k2"]],
  ["none that keeps its word", ownedKey, []],
] as const)(
  "workloads of several keys run alone before any deviation, for %s: beside others, keys hide what they share",
  async (_, protocol, expected) => {
    const topology = topologySchema.parse({ kind: "single" });
    const { plans } = await systematicPlans({
      drawnFrom: { lock: "./mine.ts", topology, faults: faultsFor(["reset"], "simulated", topology) },
      seed: 1,
      learn: learnSimulated({ driver: composeLock({ protocol }) }),
      skills: { extends: false, reenters: false },
      promises: () => 1,
      most: 20,
    });
    const all = [...plans];
    const calm = all.slice(
      0,
      all.findIndex(({ faults }) => faults.length > 0),
    );
    const keysOf = ({ clients }: Plan): string =>
      [...new Set(clients.flatMap(({ sections }) => sections.map(({ key }) => key)))].toSorted().join(" ");
    expect(calm.filter(({ clients }) => clients.length === 2).map(keysOf)).toEqual(expected);
  },
);

test("a workload that broke the lock when it was learned runs alone: beside others, a counter of all keys hides it", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const driver = numberedOwners(() => "grants");
  const { plans } = await systematicPlans({
    drawnFrom: { lock: "./mine.ts", topology, faults: faultsFor([], "simulated", topology), maxHoldShare: 1.3 },
    seed: 1,
    learn: learnSimulated({ driver }),
    skills: { extends: false, reenters: false },
    promises: () => 1,
    most: 20,
  });
  const alone = [...plans].filter(({ clients }) => clients.length === 2);
  const verdicts = alone.map(async (plan) => {
    const { record } = await runSimulated(plan, { title: "alone", required: ["lease-exclusion"], driver });
    return record.verdict.verdict;
  });
  expect(await Promise.all(verdicts)).toEqual(["invalid"]);
});

test(
  "a workload that never ends since the lock is not free again is tried, and no deviation starts from it",
  { tags: "long" },
  async () => {
    const topology = topologySchema.parse({ kind: "single" });
    const firstSteps = async (lock: string, driver?: LockDriver): Promise<readonly string[]> => {
      const { plans, bases } = await systematicPlans({
        drawnFrom: { lock, topology, faults: faultsFor([], "simulated", topology) },
        seed: 1,
        learn: learnSimulated({ driver }),
        skills: { extends: false, reenters: false },
        promises: () => 1,
        most: 1,
      });
      const based = bases.map(({ plan }) => JSON.stringify(plan.clients));
      const small = [...plans].filter(({ clients }) => clients.length <= 3);
      return small.map(({ clients }) => JSON.stringify(clients)).filter((clients) => !based.includes(clients));
    };
    expect(await firstSteps("./mine.ts", withoutRelease)).not.toEqual([]);
    // A lock without leases is never free again if its holder does not release it, and nobody promised more.
    expect(await firstSteps("setnx")).toEqual([]);
  },
);

/** The bug: a release says that it freed the lock, and did nothing. */
const withoutRelease: LockDriver = composeLock({
  protocol: {
    async acquire(server, { key, owner }) {
      return map(await server.command("SET", key, owner, "NX"), (reply) => ({ granted: reply === "OK" }));
    },
    release: () => Promise.resolve({ type: "ok", value: true }),
  },
});

test("of three clients, the last is not struck more often than the two others together", { tags: "long" }, async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const { plans } = await systematicPlans({
    drawnFrom: { lock: "single", topology, faults: faultsFor(undefined, "simulated", topology), maxHoldShare: 1.3 },
    seed: 1,
    learn: learnSimulated(),
    skills: { extends: true, reenters: false },
    promises: () => 1,
    most: 300,
  });
  const struck = [...plans]
    .filter(({ clients, faults }) => clients.length === 3 && faults.length > 0)
    .map(({ faults: [fault] }) => (fault !== undefined && "client" in fault.at ? fault.at.client : undefined));
  const times = (client: number): number => struck.filter((each) => each === client).length;
  expect(times(2)).toBeLessThanOrEqual(times(0) + times(1));
  expect(Math.min(times(0), times(1), times(2))).toBeGreaterThan(0);
});
