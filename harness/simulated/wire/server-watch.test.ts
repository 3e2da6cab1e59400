import { expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import { planOf } from "../../../workloads/scenario.ts";
import { runSimulated } from "../../campaign/run-simulated.ts";
import type { WireRecord } from "../../core/messages/wire-record.ts";
import type { Plan } from "../../core/plan.ts";
import { valueWords } from "./server-watch.ts";

function scenario(slug: string): Plan {
  const found = catalogue.find((candidate) => candidate.slug === slug);
  if (found === undefined) throw new Error(`there is no scenario ${slug}`);
  return planOf(found, { seed: 1 });
}

async function watched(plan: Plan): Promise<WireRecord> {
  const { record } = await runSimulated(plan, { title: "", required: [], wire: true });
  if (record.wire === undefined) throw new Error("nothing was recorded");
  return record.wire;
}

test("looking changes nothing, and is off unless it is asked for", { tags: "long" }, async () => {
  for (const slug of ["async-failover", "node-clock-jump"]) {
    const plan = scenario(slug);
    const plain = await runSimulated(plan, { title: "", required: [] });
    const looked = await runSimulated(plan, { title: "", required: [], wire: true });
    expect(plain.record.wire).toBeUndefined();
    expect(looked.traceHash).toBe(plain.traceHash);
    expect(looked.record.history).toEqual(plain.record.history);
  }
});

test("a failover: the old master alone had the key, Sentinels voted, and the new master's grant reached a replica", async () => {
  const { keys, replication, votes, messages } = await watched(scenario("async-failover"));
  const grants = keys.filter(({ key, value }) => key === "k1" && value !== undefined);
  expect(grants.map(({ server }) => server)).toEqual(["node-0", expect.any(String), expect.any(String)]);
  const [first, second, copy] = grants;
  expect(second?.server).not.toBe("node-0");
  expect(second?.value).not.toBe(first?.value);
  expect(first?.expiresInNs).toBeGreaterThan(19e9);
  expect(replication[0]).toMatchObject({ from: second?.server, to: copy?.server, key: "k1", appliedNs: copy?.atNs });
  expect(replication[0]?.sentNs).toBe(second?.atNs);
  const leaders = new Set(votes.map(({ candidate, epoch }) => `${candidate} in ${epoch}`));
  expect(votes.length).toBeGreaterThan(1);
  expect(leaders.size).toBe(1);
  const granted = messages.filter(({ command, reply }) => command === "SET" && reply === "OK");
  expect(granted.map(({ server }) => server)).toEqual(["node-0", second?.server]);
});

test("a node whose clock jumped held the keys of two owners, and its clock says so", async () => {
  const { keys } = await watched(scenario("node-clock-jump"));
  const ahead = keys.filter(({ clockAheadNs }) => clockAheadNs > 1e9);
  const [server, ...others] = new Set(ahead.map((state) => state.server));
  expect(others).toEqual([]);
  const values = keys.filter((state) => state.server === server && state.value !== undefined).map(({ value }) => value);
  expect(new Set(values).size).toBe(2);
  expect(ahead.some(({ value }) => value === values.at(-1))).toBe(true);
});

test("a queue of waiters is no holder", () => {
  const fields = new Map([["client-0", "1"]]);
  expect(valueWords({ type: "hash", fields, expires: new Map(), encoding: "listpack" })).toBe("client-0 1");
  expect(valueWords({ type: "list", items: ["client-1", "client-2"] })).toBe("list");
});

test("a step of a server's clock moves the end of the keys that it holds, and they are recorded again", async () => {
  const { keys } = await watched(scenario("clock-backward"));
  const held = keys.filter(({ key }) => key === "k1");
  expect(held.map(({ server, value }) => `${server} ${value}`)).toEqual(Array(2).fill(`node-0 ${held[0]?.value}`));
  const [granted, moved] = held;
  expect(granted?.expiresInNs).toBeLessThan(1e9);
  expect(moved?.expiresInNs).toBeGreaterThan(60e9);
  expect(moved?.clockAheadNs).toBe(-60e9);
});
