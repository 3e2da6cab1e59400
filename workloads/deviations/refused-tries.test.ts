import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import type { WireMessage } from "../../harness/core/messages/wire-message.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { faults } from "../../faults/registry.ts";
import { type Base, deadlinesOf } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { strikePointsOf } from "./strike-points.ts";
import { smallWorkloads } from "./workloads.ts";

interface Sent extends Pick<WireMessage, "command" | "keys" | "reply"> {
  /** Default: the first one. */
  readonly connection?: number;
}

/** A workload in whose second acquire, which waits, a client sends these messages, 10 ms apart. */
async function baseOf(called: string, sent: readonly Sent[]): Promise<Base> {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: false, seed: 1, outlives: false };
  const workload = smallWorkloads(options, { extends: false, reenters: false }).find(({ name }) => name === called);
  const { name, plan } = workload ?? expect.unreachable();
  const { history } = await learnSimulated()(plan);
  const waits = history.events.find(({ type, f, process }) => type === "invoke" && f === "acquire" && process === 1);
  const messages = sent.map(({ connection = 1, ...each }, index): WireMessage => {
    const sentNs = (waits?.time ?? 0) + index * 10_000_000;
    return {
      client: 1,
      server: "node-0",
      ...each,
      count: sent.slice(0, index + 1).filter(({ command }) => command === each.command).length,
      connection: `client-1>node-0#${connection}`,
      operation: waits?.index,
      sentNs,
      reachedNs: sentNs,
      appliedNs: sentNs,
      repliedNs: sentNs + 500_000,
    };
  });
  return { name, plan, history, messages, deadlines: deadlinesOf(plan, history, 1000) };
}

const asks = (command: string, reply: string): Sent => ({ command, keys: ["k1"], reply });

test("a caller that asks again and again repeats itself where it hears the same", async () => {
  const ranks = async (...replies: string[]): Promise<readonly number[]> =>
    strikePointsOf(
      await baseOf(
        "in turn",
        replies.map((reply) => asks("GET", reply)),
      ),
      "together",
    )
      .filter(({ phase }) => phase === "send")
      .map(({ rank }) => rank);
  const [first = -1, same = -1, last = -1] = await ranks("1", "1", "1");
  expect([first, last]).toEqual([0, 0]);
  expect(same).toBeGreaterThan(0);
  expect(await ranks("1", "2", "3")).toEqual([0, 0, 0]);
});

test("a connection that breaks before the client hears that it was refused costs more than before it hears that it was granted", async () => {
  const base = await baseOf("in turn", [asks("SET", "nil"), asks("SET", "OK")]);
  const costs = deviationsOf(base, faults, { kinds: ["lose-message"] })
    .filter(({ phase }) => phase === "reply")
    .map(({ point, cost }) => [point, cost] as const);
  const costOf = (count: number): number =>
    Math.min(...costs.flatMap(([at, cost]) => (at.includes(`SET ${count} `) ? [cost] : [])));
  expect(costOf(2)).toBeLessThan(costOf(1));
});

test("what a client sends to be told of a release is first kept back until the holder has released", async () => {
  const sent: Sent[] = [asks("SET", "nil"), { command: "SUBSCRIBE", keys: [], connection: 2 }, asks("SET", "OK")];
  const base = await baseOf("waited for long", sent);
  const held = deviationsOf(base, faults, { kinds: ["hold-message"] });
  const [first] = held.filter(({ point }) => point === "before client-1's SUBSCRIBE 1 to node-0");
  const { until } = first?.step ?? expect.unreachable();
  const forMs = until !== undefined && "afterMs" in until ? (until.afterMs ?? 0) : 0;
  const releasedMs = Math.max(
    ...base.deadlines.holds.filter(({ client }) => client === "client-0").map(({ toMs }) => toMs),
  );
  expect((first?.atMs ?? 0) + forMs).toBeGreaterThan(releasedMs);
  expect(forMs).toBeLessThan(1000);
  expect(first?.cost).toBe(Math.min(...held.map(({ cost }) => cost)));
  expect(first?.sort).toContain("while it waits for long");
});
