import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { faults } from "../../faults/registry.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { LONG_TIMEOUTS } from "../../lock-impl/parts/connection-options.ts";
import { type AcquireAnswer, map, ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { deadlinesOf, lengthsPastAnother } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { smallWorkloads } from "./workloads.ts";

const requestOf = (client: string, fromMs: number, toMs: number) => ({ client, fromMs, toMs, ttlMs: 1000 });

/** Client 0 held until 100 ms, and client 1 has waited since 20 ms and holds for this long. */
function afterAHold(holdMs: number) {
  const holds = [
    { client: "client-0", fromMs: 0, toMs: 100 },
    { client: "client-1", fromMs: 150, toMs: 150 + holdMs },
  ];
  const requests = [requestOf("client-0", 0, 1), requestOf("client-1", 20, 150)];
  return { leaseMs: 1000, leases: [], holds, requests };
}

test("whoever asks is kept from the lock into the hold of the next one to ask, and beyond it", () => {
  expect(lengthsPastAnother(afterAHold(600), "client-0", 10)).toEqual({ intoGapMs: 660, intoHoldMs: 310 });
  expect(lengthsPastAnother(afterAHold(600), "client-0", 50)).toEqual({ intoGapMs: 650, intoHoldMs: 300 });
});

test("nobody is kept into a hold that is over before anything can happen in it, nor where nobody else asks", () => {
  expect(lengthsPastAnother(afterAHold(4), "client-0", 10)).toEqual({ intoGapMs: 64, intoHoldMs: undefined });
  expect(lengthsPastAnother(afterAHold(600), "client-0", 200)).toBeUndefined();
});

/**
 * The key has no TTL: its value says when the lease is over. Whoever finds it over deletes the key and sets it anew, also if
 * another client has done so in between.
 */
function datedLock() {
  const values = new Map<string, string>();
  const dated: Protocol = {
    async acquire(server, { key, owner, ttlMs }) {
      const value = `${Date.now() + ttlMs}:${owner}`;
      values.set(owner, value);
      const granted = (reply: unknown): AcquireAnswer => ({ granted: reply === 1 });
      const set = await server.command("SETNX", key, value);
      if (set.type !== "ok" || set.value === 1) return map(set, granted);
      const held = await server.command("GET", key);
      if (held.type !== "ok" || Number.parseInt(String(held.value), 10) > Date.now()) {
        return map(held, () => ({ granted: false }));
      }
      await server.command("DEL", key);
      return map(await server.command("SETNX", key, value), granted);
    },
    release: (server, { key, owner }) => ownedKey.release(server, { key, owner: values.get(owner) ?? owner }),
  };
  return composeLock({ protocol: dated, timeouts: LONG_TIMEOUTS });
}

test("a command that takes an expired lock away arrives while another client holds it", async () => {
  const driver = datedLock();
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: true, seed: 1, outlives: true };
  const workload = smallWorkloads(options, { extends: false, reenters: false }).find(
    ({ name }) => name === "never released, and waited for by two",
  );
  const { name, plan } = workload ?? expect.unreachable();
  const { history, messages } = await learnSimulated({ driver })(plan);
  const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
  const held = deviationsOf(base, faults, { kinds: ["hold-one-message"] }).filter(
    ({ sort, phase }) => phase === "send" && sort.includes("acquire DEL"),
  );
  const verdicts: string[] = [];
  for (const deviation of held.slice(0, 2)) {
    const run = { title: deviation.at, required: ["lease-exclusion" as const], driver };
    const { record } = await runSimulated(deviation.apply(plan), run);
    verdicts.push(record.verdict.verdict);
  }
  expect(verdicts).toEqual(["valid", "invalid"]);
});

test("nobody comes between the last command of an acquire and its reply", async () => {
  const looked: Protocol = {
    async acquire(server, request) {
      const answer = await ownedKey.acquire(server, request);
      await server.command("PTTL", request.key);
      return answer;
    },
    release: (server, request) => ownedKey.release(server, request),
  };
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "single", topology, fencing: true, seed: 1, outlives: true };
  const workloads = smallWorkloads(options, { extends: false, reenters: false });
  const { name, plan } = workloads.find((each) => each.name === "in turn") ?? expect.unreachable();
  const { history, messages } = await learnSimulated({ driver: composeLock({ protocol: looked }) })(plan);
  const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
  const held = deviationsOf(base, faults, { kinds: ["hold-one-message"] });
  /** For how long the reply to the first holder's first command of this name is held. */
  const lengthsOf = (command: string): readonly unknown[] => {
    const replies = held.filter(({ sort }) => sort.startsWith(`after first acquire ${command}`));
    return replies.filter(({ point }) => point === replies[0]?.point).map(({ step }) => step.params["delayMs"]);
  };
  expect(lengthsOf("PTTL").length).toBeGreaterThan(3);
  expect(lengthsOf("SET")).toHaveLength(lengthsOf("PTTL").length + 2);
});
