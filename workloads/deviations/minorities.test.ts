import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { faults } from "../../faults/registry.ts";
import { type Base, deadlinesOf } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { smallWorkloads } from "./workloads.ts";

async function baseOf(kind: "single" | "redlock", named: string): Promise<Base> {
  const topology = topologySchema.parse({ kind });
  const options = { lock: kind, topology, fencing: false, seed: 1, outlives: true };
  const workloads = smallWorkloads(options, { extends: true, reenters: false });
  const { name, plan } = workloads.find((each) => each.name === named) ?? expect.unreachable();
  const { history, messages } = await learnSimulated()(plan);
  return { name, plan, history, messages, deadlines: deadlinesOf(plan, history, 60) };
}

test("of five servers the largest minority is hit, by every fault of servers or links, and nothing else", async () => {
  const found = deviationsOf(await baseOf("redlock", "in turn"), faults, { servers: "minority" });
  const params = found.map(({ step }) => JSON.stringify(step.params));
  expect(params.every((each) => each.includes("node-0") && each.includes("node-1"))).toBe(true);
  expect(params.some((each) => each.includes("node-2"))).toBe(false);
  expect([...new Set(found.map(({ kind }) => kind))].toSorted()).toEqual(
    expect.arrayContaining(["crash-server", "hold-message", "hold-one-message", "lose-message", "stop-server"]),
  );
});

test("a network has two sides where a client takes a free lock that another one asks for, and costs more elsewhere", async () => {
  const sided = (base: Base) =>
    deviationsOf(base, faults, { servers: "minority" }).filter(({ hasSides, phase }) => hasSides && phase === "before");
  const [first, ...others] = sided(await baseOf("redlock", "in turn"));
  expect(first?.step).toMatchObject({
    params: {
      between: [
        ["client-0", "node-3", "node-4"],
        ["client-1", "node-0", "node-1"],
      ],
    },
    at: { command: "SET", client: 0, count: 1 },
  });
  expect(others.filter(({ beginsHold }) => !beginsHold).every(({ cost }) => cost > (first?.cost ?? Infinity))).toBe(
    true,
  );
  expect(sided(await baseOf("single", "in turn"))).toEqual([]);
});

test("where servers agree by one more than a majority, two of them are hit together", async () => {
  const { messages, ...base } = await baseOf("redlock", "extended");
  const reply = (index: number): string => (index === 4 ? "0" : "1");
  const answered = messages.map((message) => ({ ...message, reply: reply(Number(message.server.at(-1))) }));
  const found = deviationsOf({ ...base, messages: answered }, faults, { servers: "enough", kinds: ["lose-message"] });
  const hit = new Set(found.filter(({ prolongsHold }) => prolongsHold).map(({ step }) => JSON.stringify(step.params)));
  expect(hit.size).toBeGreaterThan(0);
  expect([...hit].every((each) => each.match(/node-\d/g)?.length === 2 && !each.includes("node-4"))).toBe(true);
});
