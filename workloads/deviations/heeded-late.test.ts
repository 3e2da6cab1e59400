import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { faults } from "../../faults/registry.ts";
import { fenceSecondCommand } from "../../lock-impl/flawed/fence-second-command.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { deadlinesOf, isHeededLate } from "./base.ts";
import { deviationsOf } from "./deviations-of.ts";
import { smallWorkloads } from "./workloads.ts";

const PATIENCE_MS = 1000;

test("a client heeds what comes after its lease only if it has not given up, which matters where it gives up early", () => {
  const requests = [{ client: "client-0", fromMs: 0, toMs: 50, ttlMs: 600 }];
  const deadlines = { leaseMs: 1200, leases: [], holds: [], requests, patienceMs: PATIENCE_MS };
  const heeds = (forMs: number, more = {}, client = "client-0", atMs = 20) =>
    isHeededLate({ ...deadlines, ...more }, client, atMs, forMs);
  expect([500, 600, 601, 999, 1000, 1300].map((forMs) => heeds(forMs))).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
  expect(heeds(800, { patienceMs: 1201 })).toBe(false);
  expect(heeds(800, { patienceMs: undefined })).toBe(false);
  expect(heeds(800, {}, "client-1")).toBe(false);
  expect(heeds(800, {}, "client-0", 60)).toBe(false);
});

/** What strikes between two commands of an acquire, and is heeded late. */
async function heededLate(named: string, patienceMs?: number) {
  const driver = await fenceSecondCommand.load();
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "fence-second-command", topology, fencing: true, seed: 1, outlives: true };
  const workload = smallWorkloads(options, { extends: false, reenters: false }).find(({ name }) => name === named);
  const { name, plan } = workload ?? expect.unreachable();
  const { history, messages } = await learnSimulated({ driver })(plan);
  const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history, patienceMs) };
  const found = deviationsOf(base, faults).filter(({ sort }) => sort.endsWith("past its lease, and still waited for"));
  return { driver, plan, found };
}

test("what is kept back between two commands beyond a short lease is a sort of its own, and finds a token that overtakes", async () => {
  const { driver, plan, found } = await heededLate("in a row", PATIENCE_MS);
  const kinds = new Set(found.map(({ kind }) => kind));
  for (const kind of ["hold-message", "hold-one-message", "stop-client"]) expect(kinds).toContain(kind);
  const [stop] = found.filter(({ kind, phase, sort }) => {
    return kind === "stop-client" && phase === "send" && sort.includes("acquire INCR");
  });
  const { record } = await runSimulated(stop!.apply(plan), { title: "", required: ["fencing-tokens"], driver });
  expect(record.verdict.properties["fencing-tokens"]?.verdict).toBe("invalid");
  // No client has given up, or none waits so long.
  expect((await heededLate("in a row")).found).toEqual([]);
  expect((await heededLate("in turn", PATIENCE_MS)).found).toEqual([]);
});
