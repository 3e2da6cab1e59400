import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import type { WireMessage } from "../../harness/core/messages/wire-message.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { withWatchdog } from "../../lock-impl/parts/renewing/watchdog.ts";
import { deadlinesOf } from "./base.ts";
import { strikePointsOf } from "./strike-points.ts";
import { smallWorkloads } from "./workloads.ts";

/**
 * The servers at whose messages deviations strike, at a moment or at any, if a client asks two of five, and each answers
 * after 1 ms.
 */
async function struckServers(
  sentMs: readonly [number, number],
  { reachedAfterMs = [0.4, 0.4], phase }: { reachedAfterMs?: readonly [number, number]; phase?: string } = {},
): Promise<ReadonlySet<string>> {
  const topology = topologySchema.parse({ kind: "redlock" });
  const options = { lock: "redlock", topology, fencing: false, seed: 1, outlives: false };
  const [workload] = smallWorkloads(options, { extends: false, reenters: false });
  if (workload === undefined) throw new Error("there is no workload");
  const { name, plan } = workload;
  const { history } = await learnSimulated()(plan);
  const messages = sentMs.map((atMs, index): WireMessage => {
    const sentNs = atMs * 1_000_000;
    const server = `node-${index}`;
    const reachedNs = sentNs + (reachedAfterMs[index] ?? 0) * 1_000_000;
    const times = { sentNs, reachedNs, appliedNs: sentNs + 500_000, repliedNs: sentNs + 1_000_000 };
    return { client: 0, server, command: "SET", keys: ["k1"], count: 1, connection: `client-0>${server}#1`, ...times };
  });
  const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
  const wanted = points.filter((point) => phase === undefined || point.phase === phase);
  return new Set(wanted.flatMap(({ at }) => ("moment" in at && at.server !== undefined ? [at.server] : [])));
}

test("of equal servers that are asked at once, the first stands for all", async () => {
  expect(await struckServers([1, 1.5])).toEqual(new Set(["node-0"]));
});

test("all requests of a round are kept from their servers: from the first that comes to its own, on any of them", async () => {
  const struck = (phase: string) => struckServers([1, 1], { reachedAfterMs: [0.4, 0.2], phase });
  expect(await struck("before")).toEqual(new Set(["node-1"]));
  expect(await struck("send")).toEqual(new Set(["node-0"]));
});

test("a server that is asked after another one has answered is a place of its own", async () => {
  expect(await struckServers([1, 2.5])).toEqual(new Set(["node-0", "node-1"]));
});

test("what comes before a long hold of a client that has held is a sort of its own", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: true, seed: 1, outlives: true };
  const skills = { extends: false, reenters: false, renews: true };
  const workloads = smallWorkloads(options, skills).filter(({ isCalm }) => isCalm !== true);
  const names = new Set<string>();
  for (const { name, plan } of workloads) {
    const { history, messages } = await learnSimulated()(plan);
    const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
    const before = points.filter(({ sort }) => sort.endsWith("before a long hold"));
    if (before.length > 0) names.add(name);
    expect(before.length).toBeLessThan(points.length);
  }
  expect([...names]).toEqual(["renewed in a first hold and in a second one"]);
});

test("what comes early in a hold of several leases, for which another client waits, is a sort of its own", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const driver = withWatchdog(composeLock({ protocol: ownedKey }), "conservative");
  const options = { lock: "./mine.ts", topology, fencing: false, seed: 1, outlives: false };
  const skills = { extends: false, reenters: false, renews: true, tellsRenewals: true };
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, skills).filter((each) => each.name.startsWith("renewed"))) {
    const { history, messages } = await learnSimulated({ driver })(plan);
    const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
    const early = points.filter(({ sort }) => sort.endsWith("early in a long hold"));
    if (early.length > 0) names.push(name);
    expect(new Set(early.map(({ client }) => client)).size).toBeLessThan(2);
    expect(early.length).toBeLessThan(points.length);
  }
  expect(names).toEqual(["renewed after another's hold"]);
});

test("what ends a hold after its lease, while another client holds, is a sort of its own", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: true, seed: 1, outlives: true };
  const workloads = smallWorkloads(options, { extends: false, reenters: false });
  const sortsIn = async (workload: string): Promise<ReadonlySet<string>> => {
    const { name, plan } = workloads.find((each) => each.name === workload)!;
    const { history, messages } = await learnSimulated()(plan);
    const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
    return new Set(
      points
        .filter(({ changesHold, phase }) => changesHold && phase === "reply")
        .map(({ sort }) => sort.replace(/[0-9a-f]{40}/, "EVAL")),
    );
  };
  const [late, early] = ["reply first release EVAL, while another one holds", "reply first release EVAL"];
  expect(await sortsIn("released late, while another one holds")).toContain(late);
  // It is released with its lease, and another client waits.
  expect(await sortsIn("in turn")).toContain(early);
  expect(await sortsIn("in turn")).not.toContain(late);
  // Its lease is over, and nobody else holds.
  expect(await sortsIn("never released")).not.toContain(late);
});

/** The sorts of what strikes while a client takes these keys one by one, each answered after 1 ms. */
async function sortsOfTaking(...keys: readonly string[]): Promise<readonly string[]> {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: false, seed: 1, outlives: false };
  const [workload] = smallWorkloads(options, { extends: false, reenters: false });
  const { name, plan } = workload ?? expect.unreachable();
  const { history } = await learnSimulated()(plan);
  const operation = history.events.findIndex(({ type, f }) => type === "invoke" && f === "acquire");
  const messages = keys.map((key, index): WireMessage => {
    const sentNs = index * 1_000_000;
    const times = { sentNs, reachedNs: sentNs, appliedNs: sentNs, repliedNs: sentNs + 1_000_000 };
    const connection = "client-0>node-0#1";
    return {
      client: 0,
      server: "node-0",
      command: "SET",
      keys: [key],
      count: index + 1,
      connection,
      operation,
      ...times,
    };
  });
  const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
  return points.filter(({ phase }) => phase === "send").map(({ sort }) => sort.replace(/, .*/, ""));
}

test("taking a further key, while the lease of the first one is running, is a sort of its own", async () => {
  const [first = "", second, ...others] = await sortsOfTaking("k1", "k2");
  expect(second).toBe(`${first} of a further key`);
  expect(others).toEqual([]);
  // Asking for the same key again is what a waiting client does.
  expect(await sortsOfTaking("k1", "k1")).toEqual([first, first]);
});

test("an acquire of a hold for a whole lease, which another client waits for, is a sort of its own", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: true, seed: 1, outlives: true };
  const workloads = smallWorkloads(options, { extends: false, reenters: false });
  const clientsIn = async (workload: string): Promise<readonly string[]> => {
    const { name, plan } = workloads.find((each) => each.name === workload) ?? expect.unreachable();
    const { history, messages } = await learnSimulated()(plan);
    const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
    const whole = points.filter(({ sort }) => sort.endsWith("of a hold for a whole lease"));
    expect(whole.every(({ beginsHold }) => beginsHold)).toBe(true);
    return [...new Set(whole.map(({ client, at }) => `${client} ${"count" in at ? at.count : ""}`))].toSorted();
  };
  // Of the first client the first of two holds: the second one is short. The other client holds for less than a lease.
  expect(await clientsIn("in turn")).toEqual(["client-0 1"]);
  expect(await clientsIn("at once")).toEqual([]);
});

test("a command of an acquire that takes several matters most where another client asks meanwhile or later", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "fence-second-command", topology, fencing: true, seed: 1, outlives: true };
  const workloads = smallWorkloads(options, { extends: false, reenters: false });
  const { name, plan } = workloads.find((each) => each.name === "in turn") ?? expect.unreachable();
  const { history, messages } = await learnSimulated()(plan);
  const points = strikePointsOf({ name, plan, history, messages, deadlines: deadlinesOf(plan, history) }, "together");
  const tokens = points
    .filter(({ sort }) => / acquire INCR/.test(sort))
    .toSorted((one, other) => one.atMs - other.atMs);
  expect(tokens[0]?.rank).toBeLessThan(0);
  expect(tokens.at(-1)?.rank).toBe(0);
});
