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

interface Sent extends Pick<WireMessage, "command" | "script" | "keys"> {
  /** Whether no operation sent it. */
  readonly renews?: boolean;
}

/** A workload in whose first acquire a client sends these messages, one each millisecond. */
async function baseOf(sent: readonly Sent[], lock = "single", called = "in turn"): Promise<Base> {
  const topology = topologySchema.parse({ kind: "single" });
  const supports = { severalKeys: lock === "several-keys" };
  const options = { lock, topology, fencing: false, seed: 1, outlives: false, supports };
  const workload = smallWorkloads(options, { extends: false, reenters: false }).find(({ name }) => name === called);
  const { name, plan } = workload ?? expect.unreachable();
  const { history } = await learnSimulated()(plan);
  const operation = history.events.findIndex(({ type, f }) => type === "invoke" && f === "acquire");
  const messages = sent.map(({ renews = false, ...each }, index): WireMessage => {
    const sentNs = index * 1_000_000;
    const count = sent.slice(0, index + 1).filter(({ command }) => command === each.command).length;
    const times = { sentNs, reachedNs: sentNs, appliedNs: sentNs, repliedNs: sentNs + 500_000 };
    return {
      client: 0,
      server: "node-0",
      ...each,
      count,
      connection: "client-0>node-0#1",
      operation: renews ? undefined : operation,
      ...times,
    };
  });
  return { name, plan, history, messages, deadlines: deadlinesOf(plan, history, 250) };
}

const script = (name: string, command = "EVAL"): Sent => ({ command, script: name, keys: ["k1"] });

test("two scripts of one operation are two commands: the lock can change hands between them", async () => {
  const sendings = async (...sent: Sent[]) =>
    strikePointsOf(await baseOf(sent), "together").filter(({ phase }) => phase === "send");
  const [first, second] = await sendings(script("a"), script("b"));
  expect(first).toMatchObject({ splitsAcquire: true, isOfHalf: false });
  expect(second).toMatchObject({ splitsAcquire: true, isOfHalf: true });
  expect(second?.sort).not.toBe(first?.sort);
  const [text, hash] = await sendings(script("a"), script("a", "EVALSHA"));
  expect(text).toMatchObject({ splitsAcquire: false, isOfHalf: false });
  expect(hash?.sort.replace(/,.*/, "")).toBe(text?.sort.replace(/,.*/, ""));
});

test("a renewal that is sent while an operation is under way is no part of it", async () => {
  const [first] = strikePointsOf(
    await baseOf([script("a"), script("b"), { ...script("b"), renews: true }]),
    "together",
  );
  expect(first?.splitsAcquire).toBe(false);
});

test("a client that dies with an operation half done comes before one that has begun none", async () => {
  const base = await baseOf([script("a"), script("b")]);
  const deaths = deviationsOf(base, faults, { kinds: ["crash-client"] }).filter(({ phase }) => phase === "send");
  const costs = Object.fromEntries(deaths.map(({ point, cost }) => [point, cost]));
  expect(costs["at the sending of client-0's EVAL 2 to node-0"]).toBeLessThan(
    costs["at the sending of client-0's EVAL 1 to node-0"] ?? -Infinity,
  );
});

test("what a dead client leaves of a key matters where another one asks for that key for longer than a lease", async () => {
  const sent: Sent[] = [
    { command: "MSETNX", keys: ["k1", "k2", "k3"] },
    { command: "PEXPIRE", keys: ["lock:k1"] },
    { command: "PEXPIRE", keys: ["lock:k2"] },
  ];
  const costs = async (called: string): Promise<readonly (number | undefined)[]> => {
    const deaths = deviationsOf(await baseOf(sent, "several-keys", called), faults, { kinds: ["crash-client"] });
    const costOf = (count: number): number | undefined =>
      deaths.find(({ point }) => point === `at the sending of client-0's PEXPIRE ${count} to node-0`)?.cost;
    return [costOf(1), costOf(2)];
  };
  const [wanted = Infinity, unwanted = -Infinity] = await costs("several keys for a whole lease");
  expect(wanted).toBeLessThan(unwanted);
  // There the other client gives each key up at once.
  const [brief = -Infinity] = await costs("several keys released");
  expect(brief).toBeGreaterThan(wanted);
});

test("what an operation asks of no key is a part of it once it has asked about keys, and set-up before", async () => {
  const time: Sent = { command: "TIME", keys: [] };
  const ranks = async (...sent: Sent[]) =>
    new Set(
      strikePointsOf(await baseOf(sent), "together").flatMap(({ at, rank }) =>
        "command" in at && at.command === "TIME" ? [rank] : [],
      ),
    );
  const [before] = await ranks(time, script("a"));
  const [after] = await ranks(script("a"), time);
  expect(after).toBeLessThan(before ?? -Infinity);
});

test("an answer about no key is first kept back for so short a time that it is still waited for", async () => {
  const { messages, ...base } = await baseOf([script("a"), { command: "TIME", keys: [] }, script("b")]);
  const held = deviationsOf({ ...base, messages }, faults, { kinds: ["hold-message"] });
  const lengthsAt = (point: string): readonly (number | undefined)[] => {
    const [first] = held.filter((each) => each.point === point).toSorted((one, other) => one.length - other.length);
    const { at, until } = first?.step ?? expect.unreachable();
    return [until, at].map((trigger) => (trigger !== undefined && "afterMs" in trigger ? trigger.afterMs : 0));
  };
  const [timeMs = 0] = lengthsAt("before client-0's TIME 1 to node-0");
  const [scriptMs = 0] = lengthsAt("before client-0's EVAL 2 to node-0");
  expect(timeMs).toBeLessThan(250);
  expect(scriptMs).toBeGreaterThan(250);
});
