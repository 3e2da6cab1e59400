import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { faults } from "../../faults/registry.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { LONG_TIMEOUTS } from "../../lock-impl/parts/connection-options.ts";
import { ownedKey } from "../../lock-impl/parts/protocol.ts";
import { withWatchdog } from "../../lock-impl/parts/renewing/watchdog.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import type { Plan } from "../../harness/core/plan.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import { deadlinesOf, lengthsAround } from "./base.ts";
import { deviationsOf, type RankedDeviation } from "./deviations-of.ts";
import { smallWorkloads } from "./workloads.ts";

const plain = composeLock({ protocol: ownedKey, timeouts: LONG_TIMEOUTS });

/** What one kind of fault does to a client that holds for several leases. */
async function whileRenewed(fault: string, kind: TopologyKind, driver?: LockDriver) {
  const topology = topologySchema.parse({ kind });
  const skills = { extends: false, reenters: false, renews: true, tellsRenewals: true };
  const options = { lock: "redlock5-using", topology, fencing: false, seed: 1, outlives: false };
  const workload = smallWorkloads(options, skills).find((each) => each.name === "renewed many times");
  const { name, plan } = workload ?? expect.unreachable();
  const { history, messages } = await learnSimulated(driver === undefined ? {} : { driver })(plan);
  const base = { name, plan, history, messages, deadlines: deadlinesOf(plan, history) };
  return deviationsOf(
    base,
    faults.filter((each) => each.kind === fault),
  );
}

const least = (deviations: readonly RankedDeviation[]): number => Math.min(...deviations.map(({ cost }) => cost));

test("a release of a client that renews is lost on its way as early as its reply is", async () => {
  const releases = async (driver: LockDriver) => {
    const all = await whileRenewed("reset", "single", driver);
    const released = all.filter(({ sort }) => sort.includes(" release "));
    expect(all.filter(({ sort }) => sort.endsWith(", of who renews")).every((each) => released.includes(each))).toBe(
      true,
    );
    return released;
  };
  const before = ({ phase }: RankedDeviation): boolean => phase === "before";
  const renewing = await releases(withWatchdog(plain, "aggressive"));
  expect(renewing.length).toBeGreaterThan(0);
  expect(least(renewing.filter(before))).toBe(least(renewing));
  expect(renewing.filter(({ sort }) => sort.endsWith(", of who renews")).length).toBeGreaterThan(0);
  const still = await releases(plain);
  expect(least(still.filter(before))).toBeGreaterThan(least(still));
  expect(still.filter(({ sort }) => sort.endsWith(", of who renews"))).toEqual([]);
});

test("a renewal that a majority does not hear of is tried as early as one that no server hears of", async () => {
  const renewals = (await whileRenewed("partition", "redlock")).filter(({ sort }) => sort.includes(" - "));
  const before = renewals.filter(({ phase }) => phase === "before");
  const divided = before.filter(({ dividesServers }) => dividesServers);
  expect(divided.length).toBeGreaterThan(0);
  expect(least(divided)).toBe(least(before.filter(({ dividesServers }) => !dividesServers)));
});

test("a client that has renewed once is kept from the second renewal until that lease is over, and from the third one seldom", async () => {
  const all = await whileRenewed("partition", "single", withWatchdog(plain, "aggressive"));
  const renewals = all.filter(({ sort, phase }) => phase === "before" && sort.startsWith("before first - "));
  const [first, second] = [...new Set(renewals.map(({ atMs }) => atMs))].toSorted((one, other) => one - other);
  const at = (ms: number | undefined) => renewals.filter(({ atMs }) => atMs === ms);
  expect(least(at(second))).toBe(least(at(first)));
  expect(at(first).some(({ sort }) => sort.includes("of a lease renewed before"))).toBe(false);
  expect(at(second).every(({ sort }) => sort.includes("of a lease renewed before"))).toBe(true);
  const dear = renewals.filter(({ atMs }) => atMs > second! && atMs < 2.5 * second!);
  expect(dear.length).toBeGreaterThan(0);
  expect(least(dear)).toBeGreaterThan(least(at(second)));
});

test("at a renewal the lease counts that was renewed last, and not the one that was granted", () => {
  const lease = (fromMs: number, client = "client-0") => ({ client, fromMs, toMs: fromMs + 1000 });
  const leases = [lease(0), lease(400), lease(800)];
  const deadlines = { leaseMs: 1000, leases, holds: [], requests: [] };
  expect(lengthsAround(deadlines, "client-0", 800)[0]).toBe(680);
  expect(lengthsAround(deadlines, "client-0", 400)[0]).toBe(680);
  // Those of others count as well.
  expect(lengthsAround({ ...deadlines, leases: [...leases, lease(-100, "client-1")] }, "client-0", 800)[0]).toBe(180);
});

test("a renewal that the lock tells of is a lease", () => {
  const recording = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 1000 }).renewed(600, 0, "a", 700, 590);
  const step = { key: "k1", ttlMs: 1000, waitMs: 0, tries: 1, steps: [] };
  const client = { sections: [step] };
  const { leases } = deadlinesOf({ clients: [client, client] } as unknown as Plan, recording.history);
  expect(leases.at(-1)).toEqual({ client: "client-0", fromMs: 590, toMs: 1290 });
});
