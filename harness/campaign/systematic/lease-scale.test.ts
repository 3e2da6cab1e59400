import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "./learn.ts";
import { composeLock } from "../../../lock-impl/parts/compose.ts";
import { isOne, map, ownedKey, type Protocol } from "../../../lock-impl/parts/protocol.ts";
import { scriptOf } from "../../../lock-impl/parts/scripts.ts";
import { spin } from "../../../lock-impl/parts/waiting.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import type { Plan } from "../../core/plan.ts";
import { topologySchema } from "../../core/topology.ts";
import { smallWorkloads } from "../../../workloads/deviations/workloads.ts";
import { leaseScaleOf } from "./lease-scale.ts";
import { skillsOf } from "./systematic-plans.ts";

const topology = topologySchema.parse({ kind: "single" });
const drawnFrom = { lock: "./mine.ts", topology, faults: [] };

/** The lease that workloads of this lock ask for. */
async function scaleOf(driver: LockDriver): Promise<number | undefined> {
  return (await skillsOf({ drawnFrom, seed: 1, learn: learnSimulated({ driver }) })).leaseMs;
}

/** A lock that makes something else of the lease that it is asked for. */
function leasing(leaseMs: (askedMs: number) => number): LockDriver {
  const acquire: Protocol["acquire"] = (server, request) =>
    ownedKey.acquire(server, { ...request, ttlMs: leaseMs(request.ttlMs) });
  return composeLock({ protocol: { acquire, release: (server, request) => ownedKey.release(server, request) } });
}

test("workloads ask for the lease that the servers hold, where the lock makes it longer", async () => {
  const asked = await scaleOf(composeLock({ protocol: ownedKey }));
  expect(asked).toBe(1200);
  expect(await scaleOf(leasing((ms) => Math.ceil(ms / 1000) * 1000))).toBe(2000);
  expect(await scaleOf(leasing(() => 30_000))).toBe(30_000);
  expect(await scaleOf(leasing((ms) => Math.floor(ms / 1000) * 1000))).toBe(asked);
});

test("workloads ask for the lease that ends, where the key that keeps it is given more time", async () => {
  expect(await scaleOf(composeLock({ protocol: entriesOf((ms) => ms) }))).toBe(1200);
  const doubled = await scaleOf(composeLock({ protocol: entriesOf((ms) => 2 * ms) }));
  expect(doubled).toBeGreaterThan(2300);
  expect(doubled).toBeLessThan(2500);
});

/** A lock that keeps when a lease ends beside its owner. The key itself is removed after a minute without use. */
function entriesOf(leaseMs: (askedMs: number) => number): Protocol {
  const acquired = scriptOf(`
    local time = redis.call('TIME')
    local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', nowMs)
    if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
    redis.call('ZADD', KEYS[1], nowMs + ARGV[2], ARGV[1])
    redis.call('PEXPIRE', KEYS[1], 60000)
    return 1`);
  return {
    acquire: async (server, { key, owner, ttlMs }) =>
      map(await server.run(acquired, [key], owner, leaseMs(ttlMs)), (won) => ({ granted: isOne(won) })),
    release: async (server, { key, owner }) => map(await server.command("ZREM", key, owner), isOne),
  };
}

test("workloads ask for leases within which a waiting client asks again", async () => {
  const waiting = spin({ pauseMs: 2000, jitterMs: 0 });
  const leaseMs = (await scaleOf(composeLock({ protocol: ownedKey, waiting }))) ?? expect.unreachable();
  expect(leaseMs).toBeGreaterThan(6000);
  expect(leaseMs).toBeLessThan(8000);
});

test("the same command about another key is no question that is asked again", async () => {
  const { history, messages } = await learnSimulated({ driver: composeLock({ protocol: ownedKey }) })(planOfTwo());
  const asked = messages.find(({ operation }) => operation !== undefined) ?? expect.unreachable();
  const later = (keys: readonly string[]) => ({ ...asked, keys, sentNs: asked.sentNs + 2e9 });
  expect(leaseScaleOf(1200, { history, messages: [asked, later(["another"])] })).toBe(1200);
  expect(leaseScaleOf(1200, { history, messages: [asked, later(asked.keys)] })).toBe(6000);
});

function planOfTwo(): Plan {
  const [workload] = smallWorkloads(
    { ...drawnFrom, fencing: false, seed: 1, outlives: false },
    { extends: false, reenters: false },
  );
  return workload?.plan ?? expect.unreachable();
}

test("a workload has as much time as its leases need", { tags: "long" }, async () => {
  const options = { ...drawnFrom, fencing: true, seed: 1, outlives: true, leaseMs: 10_000 };
  const learn = learnSimulated({ driver: composeLock({ protocol: ownedKey }) });
  for (const { plan } of smallWorkloads(options, { extends: true, reenters: false })) {
    const { history } = await learn(plan);
    expect(history.end?.value.run).toBe("completed");
    expect(plan.clients.flatMap(({ sections }) => sections.map(({ ttlMs }) => ttlMs))).toContain(10_000);
  }
});
