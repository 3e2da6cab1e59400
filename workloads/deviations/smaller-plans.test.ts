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
    ["a fault hits", [{ kind: "kill-client", params: { client: "client-1" }, at: { atMs: 1 } }]],
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

  test("has no client that does nothing, where no client is named", () => {
    const idle = { sections: [] };
    const busy = { sections: [section, section] };
    const [smaller] = smallerPlans(planOf([], [idle, busy, idle, busy]));
    expect(smaller?.clients).toMatchObject([busy, busy]);
  });

  test("keeps the faults while a trigger names one by its index", () => {
    const plan = planOf([
      { ...hold, at: { atMs: 1 } },
      { ...hold, at: { on: "fault:start", fault: 0 } },
    ]);
    expect([...smallerPlans(plan)].map(({ faults }) => faults.length)).not.toContain(1);
  });
});
