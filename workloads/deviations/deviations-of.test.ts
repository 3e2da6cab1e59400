import { randomUUID } from "node:crypto";
import { isDeepStrictEqual as equals } from "node:util";
import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { requiredProperties } from "../../harness/campaign/required-properties.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { faults } from "../../faults/registry.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { planSchema, type Plan } from "../../harness/core/plan.ts";
import { isMessageTrigger } from "../../harness/core/trigger.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import { type Base, deadlinesOf } from "./base.ts";
import { countDeviations, deviationsOf } from "./deviations-of.ts";
import { smallerPlans } from "./smaller-plans.ts";
import { smallWorkloads } from "./workloads.ts";

async function baseOf(lock: string, kind: TopologyKind, named?: string): Promise<Base> {
  const topology = topologySchema.parse({ kind });
  const skills = { extends: true, reenters: false };
  const workloads = smallWorkloads({ lock, topology, fencing: true, seed: 1, outlives: true }, skills);
  const workload = workloads.find(({ name }) => named === undefined || name === named);
  if (workload === undefined) throw new Error("there is no workload");
  const { plan, name } = workload;
  const { history, messages } = await learnSimulated()(plan);
  return { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
}

test.each([
  ["get-del", "single"],
  ["single", "sentinel"],
  ["redlock", "redlock"],
] as const)("every fault that can happen to %s on %s deviates, with parameters that it takes", async (lock, kind) => {
  const base = await baseOf(lock, kind);
  const { topology } = base.plan;
  for (const fault of faults) {
    const deviations = deviationsOf(base, [fault]);
    expect([fault.kind, deviations.length > 0]).toEqual([fault.kind, fault.arbitrary(topology, 2) !== undefined]);
    for (const deviation of deviations.slice(0, 50)) {
      const plan = deviation.apply(base.plan);
      expect(planSchema.parse(plan)).toEqual(plan);
      expect(() => plan.faults.map(({ params }) => fault.read(params))).not.toThrow();
    }
  }
});

test("a message is held between the check and the delete, the cheapest first", async () => {
  const base = await baseOf("get-del", "single");
  const deviations = deviationsOf(base, faults, { kinds: ["hold-message"] });
  const costs = deviations.map(({ cost }) => cost);
  expect(costs).toEqual(costs.toSorted((one, other) => one - other));
  expect(deviations.every(({ kind }) => kind === "hold-message")).toBe(true);
  const triggers = deviations.flatMap((deviation) => deviation.apply(base.plan).faults.map(({ at }) => at));
  expect(triggers).toContainEqual({ moment: "before", command: "DEL", client: 1, server: "node-0", count: 1 });
});

test("one message is held alone, on its way there or back, for lengths on either side of the lease", async () => {
  const base = await baseOf("single", "single");
  const deviations = deviationsOf(base, faults, { kinds: ["hold-one-message"] });
  const steps = deviations.flatMap((deviation) => deviation.apply(base.plan).faults);
  const lengths = (moment: string): readonly unknown[] =>
    steps
      .filter(({ at, until }) => {
        expect(until).toEqual({ ...at, afterMs: 1 });
        return isMessageTrigger(at) && at.moment === moment && at.command === "EVALSHA" && at.client === 1;
      })
      .map(({ params }) => params["delayMs"]);
  const { leaseMs } = base.deadlines;
  for (const moment of ["send", "after"]) {
    expect(lengths(moment).some((ms) => Number(ms) < leaseMs)).toBe(true);
    expect(lengths(moment).some((ms) => Number(ms) > leaseMs)).toBe(true);
  }
});

test("a message held alone breaks a lock that cannot tell its holds apart, and not a sound one", async () => {
  const verdicts = async (lock: string): Promise<ReadonlySet<string>> => {
    const base = await baseOf(lock, "single", "in turn");
    const seen = new Set<string>();
    for (const deviation of deviationsOf(base, faults, { kinds: ["hold-one-message"] }).slice(0, 5)) {
      const plan = deviation.apply(base.plan);
      const { record } = await runSimulated(plan, { title: "", required: requiredProperties(plan) });
      seen.add(record.verdict.verdict);
    }
    return seen;
  };
  expect(await verdicts("owner-value-fixed")).toContain("invalid");
  expect(await verdicts("single")).toEqual(new Set(["valid"]));
});

test("what lies between two commands of an operation comes before what one command does", async () => {
  const first = async (lock: string): Promise<string> => {
    const [cheapest] = deviationsOf(await baseOf(lock, "single"), faults, { kinds: ["stop-client"] });
    return cheapest?.at ?? "";
  };
  expect(await first("get-del")).toMatch(/ (GET|DEL) /);
  expect(await first("single")).not.toMatch(/ (GET|DEL) /);
});

test("every message that is hit is sent by the workload", async () => {
  const base = await baseOf("redlock", "redlock");
  for (const deviation of deviationsOf(base, faults)) {
    const [at] = deviation.apply(base.plan).faults.map((step) => step.at);
    if (at === undefined || !isMessageTrigger(at)) continue;
    expect(base.messages).toContainEqual(
      expect.objectContaining({ client: at.client, server: at.server, command: at.command, count: at.count }),
    );
  }
});

test.each([
  ["get-del", "single"],
  ["redlock", "redlock"],
] as const)("the deviations of %s are counted without being made", async (lock, kind) => {
  for (const named of ["in turn", "taken again"]) {
    const base = await baseOf(lock, kind, named);
    for (const fault of faults) expect(countDeviations(base, [fault])).toBe(deviationsOf(base, [fault]).length);
    expect(countDeviations(base, faults)).toBe(deviationsOf(base, faults).length);
  }
});

test("a fault of a process strikes where that process is about to go on", async () => {
  const base = await baseOf("redlock", "redlock");
  const clocks = faults.filter(({ kind }) => kind === "clock-jump");
  const struck = deviationsOf(base, clocks).flatMap(({ step: { at, params } }) =>
    isMessageTrigger(at) ? [`${String(params["targets"]).split("-")[0]} at ${at.moment}`] : [],
  );
  expect(new Set(struck)).toEqual(new Set(["client at send", "client at reply", "node at before", "node at after"]));
});

test("the clock of a client steps forward and back, as early as that of a server steps forward", async () => {
  const base = await baseOf("single", "single", "in turn");
  const clocks = faults.filter(({ kind }) => kind === "clock-jump");
  const cheapest = new Map<string, number>();
  for (const { cost, step } of deviationsOf(base, clocks)) {
    const { targets, byMs } = step.params;
    const direction = Number(byMs) > 0 ? "forward" : "back";
    const way = `${String(targets).split("-")[0]} ${direction}`;
    cheapest.set(way, Math.min(cost, cheapest.get(way) ?? Infinity));
  }
  const least = Math.min(...cheapest.values());
  expect(cheapest.get("node forward")).toBe(least);
  expect(cheapest.get("client forward")).toBe(least);
  expect(cheapest.get("client back")).toBe(least);
  expect(cheapest.get("node back")).toBeGreaterThan(least);
});

test("a message is held beyond the lease that its client asks for, shorter than others", async () => {
  const base = await baseOf("single", "single", "in a row");
  const at = { moment: "send", command: "SET", client: 0, server: "node-0", count: 1 };
  const holding = deviationsOf(base, faults, { kinds: ["stop-client"] }).filter(({ step }) => equals(step.at, at));
  expect(holding.map(({ step }) => step.until)).toContainEqual({ ...at, afterMs: 816 });
});

test("where several servers are asked at once, a link fault hits those to all of them or to a majority", async () => {
  const base = await baseOf("redlock", "redlock");
  const partitions = faults.filter(({ kind }) => kind === "partition");
  const all = ["node-0", "node-1", "node-2", "node-3", "node-4"];
  const hit = deviationsOf(base, partitions).map(({ step: { params } }) => params["between"]);
  expect(hit).toContainEqual([["client-0"], all]);
  expect(hit).toContainEqual([["client-0"], all.slice(0, 3)]);
});

test("the same base has the same deviations", async () => {
  const words = async (): Promise<readonly string[]> =>
    deviationsOf(await baseOf("single", "single"), faults).map(({ at }) => at);
  expect(await words()).toEqual(await words());
});

test("smaller plans are plans, differ from the larger one, and end", async () => {
  const base = await baseOf("single", "single");
  const [deviation] = deviationsOf(base, faults);
  const first = deviation?.apply(base.plan);
  for (const smaller of first === undefined ? [] : smallerPlans(first)) {
    expect(planSchema.safeParse(JSON.parse(JSON.stringify(smaller))).success).toBe(true);
    expect(smaller).not.toEqual(first);
  }
  let steps = 0;
  // The last of them makes the smallest steps.
  for (let plan: Plan | undefined = first; plan !== undefined; plan = [...smallerPlans(plan)].at(-1)) {
    steps += 1;
    expect(steps).toBeLessThan(1000);
  }
  expect(steps).toBeGreaterThan(20);
});

test("an unlock is held until its client holds again, and frees the next hold of a lock that counts entries only", async () => {
  const base = await baseOf("reentrant-naive", "single", "taken again");
  const into = deviationsOf(base, faults, { kinds: ["hold-one-message"] }).filter(({ sort }) =>
    sort.endsWith("next hold"),
  );
  expect(into.map(({ sort }) => sort)).toEqual(into.map(() => expect.stringMatching(/release|extend/)));
  const seen = new Set<string>();
  for (const deviation of into) {
    const plan = deviation.apply(base.plan);
    const { record } = await runSimulated(plan, { title: deviation.at, required: ["lease-exclusion"] });
    seen.add(record.verdict.verdict);
  }
  expect(seen).toContain("invalid");
});

test("a client that has drawn its token is kept from the lock until another one has had it and given it back", async () => {
  const base = await baseOf("fence-before-win", "single", "in turn");
  const cheapest = deviationsOf(base, faults, { kinds: ["hold-one-message"] }).find(({ sort }) => sort.includes("SET"));
  expect(cheapest?.at).toBe("latency of one message at the sending of client-0's SET 1 to node-0 for 920 ms");
  const plan = cheapest?.apply(base.plan) ?? expect.unreachable();
  const { record } = await runSimulated(plan, { title: "held", required: ["linearizability"] });
  expect(record.verdict.verdict).toBe("invalid");
});

test("an unlock that outlasts several holds of its client frees a later one that has the same owner value", async () => {
  const driver: LockDriver = {
    connect(environment) {
      const me = randomUUID();
      const names = new Map<string, string>();
      let grants = 0;
      const protocol: Protocol = {
        async acquire(server, request) {
          const owner = `${me} ${grants % 4}`;
          names.set(request.owner, owner);
          const answer = await ownedKey.acquire(server, { ...request, owner });
          if (answer.type === "ok" && answer.value.granted) grants += 1;
          return answer;
        },
        release: (server, request) =>
          ownedKey.release(server, { ...request, owner: names.get(request.owner) ?? request.owner }),
      };
      return composeLock({ protocol }).connect(environment);
    },
  };
  const base = await baseOf("single", "single", "many times");
  const outlasting = deviationsOf(base, faults, { kinds: ["hold-one-message"], mostCost: 0 }).filter(({ sort }) =>
    sort.endsWith("holds"),
  );
  expect(new Set(outlasting.map(({ sort }) => sort)).size).toBeGreaterThan(2);
  const seen = new Set<string>();
  for (const deviation of outlasting) {
    const { record } = await runSimulated(deviation.apply(base.plan), {
      title: deviation.at,
      required: ["lease-exclusion", "linearizability"],
      driver,
    });
    seen.add(record.verdict.verdict);
  }
  expect(seen).toContain("invalid");
});

test("the reply that grants a lease is first held for a part of it, then until its client asks again, and a request also beyond it", async () => {
  const { deadlines, ...base } = await baseOf("single", "single");
  const lengths = (phase: string, patienceMs?: number): readonly unknown[] => {
    const held = deviationsOf({ ...base, deadlines: { ...deadlines, patienceMs } }, faults, {
      kinds: ["hold-one-message"],
    });
    const alone = held.filter(({ sort }) => sort.startsWith(`${phase} first acquire`) && sort.includes("alone"));
    const { at } = alone[0]?.step ?? expect.unreachable();
    const there = alone.filter(({ step }) => equals(step.at, at)).toSorted((one, other) => one.length - other.length);
    return there.map(({ step: { params } }) => params["delayMs"]);
  };
  expect(lengths("after", 300).slice(0, 3)).toEqual([180, 396, 1296]);
  expect(lengths("send", 300).slice(0, 3)).toEqual([1296, 180, 396]);
  // One that is about as long as the lease is no deadline of its own.
  const without = lengths("after");
  expect(without.slice(0, 2)).toEqual([180, 1296]);
  expect(lengths("after", 1100)).toEqual(without);
});
