import { describe, expect, test } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION, type Plan, type PlanInput, planSchema } from "../../harness/core/plan.ts";
import { smallerPlans } from "./smaller-plans.ts";

const section = { key: "k1", ttlMs: 500, waitMs: 0, steps: [{ do: "write" as const }] };
const hold = { kind: "pause-client", params: { client: "client-0" } };

function planOf(
  faults: PlanInput["faults"],
  clients: PlanInput["clients"] = [{ sections: [section] }, { sections: [section] }],
): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients,
    faults,
  });
}

/** How many clients the smaller plans have. */
function clientsLeft(plan: Plan): readonly number[] {
  return [...new Set([...smallerPlans(plan)].map(({ clients }) => clients.length))].sort((a, b) => a - b);
}

describe("a smaller plan", () => {
  test("has a client less, or a fault less", () => {
    const plan = planOf([{ ...hold, at: { on: "acquire:ok", client: 0 } }]);
    expect(clientsLeft(plan)).toEqual([1, 2]);
    expect([...smallerPlans(plan)].map(({ faults }) => faults.length)).toContain(0);
  });

  test.each<[string, PlanInput["faults"]]>([
    ["a fault hits", [{ kind: "stall", params: { targets: ["client-0", "client-1"] }, at: { atMs: 1 } }]],
    ["an event is awaited of", [{ ...hold, at: { on: "acquire:ok", client: 1 } }]],
    ["a message is awaited of", [{ ...hold, at: { moment: "before", command: "SET", client: 1 } }]],
    ["the end of a fault waits for", [{ ...hold, at: { atMs: 1 }, until: { on: "acquire:ok", client: 1 } }]],
  ])("keeps a client that %s", (_, faults) => {
    expect(clientsLeft(planOf(faults))).toEqual([2]);
  });

  test("keeps a client that a section of another waits for", () => {
    const waiting = { ...section, after: { on: "acquire:ok" as const, client: 1 } };
    const clients = [...smallerPlans(planOf([], [{ sections: [waiting] }, { sections: [section] }]))];
    for (const { clients: left } of clients) if (JSON.stringify(left).includes("after")) expect(left).toHaveLength(2);
    expect(clients.length).toBeGreaterThan(0);
  });

  test("has no client that does nothing", () => {
    const idle = { sections: [] };
    const busy = { sections: [section, section] };
    const [smaller] = smallerPlans(planOf([], [idle, busy, idle, busy]));
    expect(smaller?.clients).toMatchObject([busy, busy]);
  });

  test("has no client that does nothing, and the others keep their faults and triggers under new names", () => {
    const idle = { sections: [] };
    const busy = { sections: [section] };
    const waiting = { sections: [{ ...section, after: { on: "acquire:ok" as const, client: 3 } }] };
    const fault = {
      kind: "pause-client",
      params: { client: "client-3" },
      at: { on: "acquire:ok" as const, client: 1 },
    };
    const [smaller] = smallerPlans(planOf([fault], [idle, waiting, idle, busy]));
    expect(smaller).toMatchObject({
      clients: [{ sections: [{ after: { client: 1 } }] }, busy],
      faults: [{ params: { client: "client-1" }, at: { client: 0 } }],
    });
  });

  test("at last has no client that does nothing and another seed: with fewer clients a seed gives other random numbers", () => {
    const plan = planOf([], [{ sections: [] }, { sections: [section] }]);
    const smaller = [...smallerPlans(plan)];
    const others = smaller.filter(({ seed }) => seed !== plan.seed);
    expect(others.length).toBeGreaterThan(4);
    expect(smaller.slice(-others.length)).toEqual(others);
    expect(new Set(others.map(({ seed }) => seed)).size).toBe(others.length);
    for (const { clients } of others) expect(clients).toHaveLength(1);
  });

  test("has the same seed where every client does something, and there are two critical sections, or many", () => {
    const many = { sections: Array.from({ length: 13 }, () => section) };
    for (const plan of [planOf([{ ...hold, at: { atMs: 1 } }]), planOf([], [many])])
      expect(new Set([...smallerPlans(plan)].map(({ seed }) => seed))).toEqual(new Set([plan.seed]));
  });

  test("at last has a critical section less and another seed, where at least two are left", () => {
    const plan = planOf([], [{ sections: [section, section] }, { sections: [section] }]);
    const smaller = [...smallerPlans(plan)];
    const others = smaller.filter(({ seed }) => seed !== plan.seed);
    expect(smaller.slice(-others.length)).toEqual(others);
    const counts = ({ clients }: Plan) => clients.map(({ sections }) => sections.length);
    expect(others.slice(0, 4).map((other) => [other.seed, ...counts(other)])).toEqual([
      [2, 1, 1],
      [2, 1, 1],
      [2, 2, 0],
      [3, 1, 1],
    ]);
  });

  test("has any client less that nothing names, also if a client after it is named", () => {
    const fault = { kind: "pause-client", params: { client: "client-2" }, at: { atMs: 1 } };
    const [one, two, three] = ["k1", "k1", "k1"].map((key, index) => ({
      sections: [{ ...section, key, ttlMs: 500 + index }],
    }));
    const plan = planOf([fault], [one!, two!, three!]);
    const smaller = [...smallerPlans(plan)].filter(
      ({ clients, faults }) => clients.length === 2 && faults.length === 1,
    );
    expect(smaller.map(({ clients }) => clients.map(({ sections: [first] }) => first?.ttlMs))).toEqual([
      [500, 502],
      [501, 502],
    ]);
    for (const { faults } of smaller) expect(faults[0]?.params).toEqual({ client: "client-1" });
  });

  test("leaves a key alone that has the name of a client", () => {
    const clients = [{ sections: [] }, { sections: [{ ...section, key: "client-1" }] }];
    expect([...smallerPlans(planOf([], clients))][0]?.clients).toMatchObject([{ sections: [{ key: "client-1" }] }]);
  });

  test("keeps the faults while a trigger names one by its index", () => {
    const plan = planOf([
      { ...hold, at: { atMs: 1 } },
      { ...hold, at: { on: "fault:start", fault: 0 } },
    ]);
    expect([...smallerPlans(plan)].map(({ faults }) => faults.length)).not.toContain(1);
  });
});
