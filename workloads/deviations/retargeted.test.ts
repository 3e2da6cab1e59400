import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema, type Plan, type PlanInput } from "../../harness/core/plan.ts";
import type { Verdict } from "../../harness/core/verdict.ts";
import { retargeted } from "./retargeted.ts";

type SectionInput = PlanInput["clients"][number]["sections"][number];

const section: SectionInput = { key: "k1", ttlMs: 1200, waitMs: 2000, steps: [{ do: "hold", forMs: 300 }] };

function planWith(faults: PlanInput["faults"], clients = 2, each: SectionInput = section): Plan {
  return planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients: Array.from({ length: clients }, () => ({ sections: [each] })),
    faults,
  });
}

async function verdictsOf(plan: Plan): Promise<{ readonly first: Verdict; readonly again?: Verdict; aimed?: Plan }> {
  const run = async (each: Plan) => runSimulated(each, { title: "", required: ["lease-exclusion"] });
  const { record } = await run(plan);
  const aimed = retargeted(plan, record.history);
  if (aimed === undefined) return { first: record.verdict };
  return { first: record.verdict, again: (await run(aimed)).record.verdict, aimed };
}

test.each([
  [{ on: "acquire:ok", client: 0, count: 4 }, "a count that is too high"],
  [{ on: "extend:ok" }, "an event that no client causes"],
  [{ moment: "before", command: "GET", client: 1 }, "a command that nobody sends"],
] as const)("a fault that waits for %j, %s, is moved to an event that came", async (at, _why) => {
  const params = { targets: ["client-1"] };
  const plan = planWith([{ kind: "pause-client", params, at, until: { ...at, afterMs: 400 } }]);
  const { first, again, aimed } = await verdictsOf(plan);
  expect(first.reasons.join()).toContain("skipped");
  expect(again?.reasons).toEqual([]);
  const [fault] = aimed?.faults ?? [];
  const [from, to] = [fault?.at, fault?.until].map((trigger) => (trigger && "on" in trigger ? trigger.afterMs : 0));
  expect((to ?? 0) - (from ?? 0)).toBe(400);
});

test("a fault at a time at which the run was over is moved to an event that came", async () => {
  const params = { targets: ["client-1"] };
  const plan = planWith([{ kind: "pause-client", params, at: { atMs: 9001 }, until: { atMs: 9401 } }]);
  const { first, again, aimed } = await verdictsOf(plan);
  expect(first.reasons.join()).toContain("skipped");
  expect(again?.reasons).toEqual([]);
  expect(aimed?.faults).toMatchObject([{ at: { count: 1 }, until: { afterMs: 400 } }]);
});

test("a fault without an effect is moved to where somebody holds", async () => {
  const { first, again } = await verdictsOf(
    planWith([{ kind: "eviction", params: { targets: ["node-0"] }, at: { atMs: 0 } }]),
  );
  expect(first.reasons.join()).toContain("not seen to take effect");
  expect(again?.reasons).toEqual([]);
});

test.each([300, 0])("a client that holds for %i ms without a rival is given one", async (forMs) => {
  const alone = { ...section, steps: forMs === 0 ? [] : [{ do: "hold" as const, forMs }] };
  const { first, again, aimed } = await verdictsOf(planWith([], 1, alone));
  expect(first.reasons).toEqual(["no lock was ever contended"]);
  expect(again?.verdict).toBe("valid");
  expect(aimed?.clients).toHaveLength(2);
});

test("a client that holds several keys without a rival is given one that comes while it holds them", async () => {
  const several = { ...section, alsoKeys: ["k2", "k3"] };
  const drawn = planWith([], 1, several);
  const [long] = drawn.clients[0]!.sections;
  const clients = [{ sections: [{ ...long!, steps: [{ do: "hold" as const, forMs: 100 }] }, long!] }];
  const { first, again, aimed } = await verdictsOf({ ...drawn, clients, lock: "several-keys" });
  expect(first.reasons).toEqual(["no lock was ever contended"]);
  expect(aimed?.clients[1]?.sections[0]?.after).toEqual({ on: "acquire:ok", client: 0, count: 2 });
  expect(again?.verdict).toBe("valid");
});

test("clients that hold beside each other are given one that finds no room", async () => {
  const one = { ...section, limit: 2 };
  const plan = { ...planWith([], 2, one), lock: "semaphore" };
  const { first, again, aimed } = await verdictsOf(plan);
  expect(first.reasons).toEqual(["no lock was ever contended"]);
  expect(again?.verdict).toBe("valid");
  expect(aimed?.clients[2]?.sections).toMatchObject([{ limit: 2, permits: 2 }]);
});

test("clients that were through before their only server was back try until it is", async () => {
  const down = { kind: "kill-node", params: { targets: ["node-0"] }, at: { atMs: 0 }, until: { atMs: 4000 } };
  const brief = { ...section, waitMs: 0, tries: 2 };
  const { first, again, aimed } = await verdictsOf(planWith([down], 2, brief));
  expect(first.reasons.join()).toContain("no acquire was granted");
  expect(again?.reasons).toEqual([]);
  expect(again?.verdict).toBe("valid");
  expect(aimed?.clients.map(({ sections }) => sections.map(({ tries }) => tries))).toEqual([[130], [130]]);
  expect(aimed?.faults).toMatchObject([down]);
});

test("a fault that lasts to the end of the run is not outlasted", async () => {
  const plan = planWith([{ kind: "kill-node", params: { targets: ["node-0"] }, at: { atMs: 0 } }], 2);
  const { first, aimed } = await verdictsOf(plan);
  expect(first.reasons.join()).toContain("no acquire was granted");
  expect(aimed).toBeUndefined();
});

test("what came, and was contended, is left as it is", async () => {
  const plan = planWith([
    { kind: "pause-client", params: { targets: ["client-1"] }, at: { atMs: 5 }, until: { atMs: 50 } },
  ]);
  expect((await verdictsOf(plan)).aimed).toBeUndefined();
});
