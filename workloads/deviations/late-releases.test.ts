import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { isOne, map, ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { scriptOf } from "../../lock-impl/parts/scripts.ts";
import { numberedOwners } from "../../lock-impl/testing/numbered-owners.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import type { Property } from "../../harness/core/verdict.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { smallWorkloads } from "./workloads.ts";

const options = {
  lock: "./mine.ts",
  topology: topologySchema.parse({ kind: "single" }),
  fencing: true,
  outlives: true,
};

/** The workloads in whose run without faults the lock does not keep the property. */
async function breaking(driver: LockDriver, property: Property): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads({ ...options, seed: 1 }, { extends: false, reenters: false })) {
    const { record } = await runSimulated(plan, { title: name, required: [property], driver });
    if (record.verdict.verdict === "invalid") names.push(name);
  }
  return names;
}

test("a late release hands the lock over to a third client, while another one holds it", async () => {
  const triedScript = scriptOf(`
    -- KEYS[1] lock, KEYS[2] who is next, ARGV[1] owner value, ARGV[2] lease in ms.
    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
    redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', 1000)
    return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0`);
  const handedScript = scriptOf(`
    -- KEYS[1] lock, KEYS[2] who is next, ARGV[1] owner value.
    local own = redis.call('GET', KEYS[1]) == ARGV[1]
    -- The bug: the next one is let in whoever holds the lock.
    if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('RENAME', KEYS[2], KEYS[1])
    elseif own then redis.call('DEL', KEYS[1]) end
    return own and 1 or 0`);
  const handing = (client: string): Protocol => ({
    acquire: async (server, { key, ttlMs }) =>
      map(await server.run(triedScript, [key, `${key}:next`], client, ttlMs), (won) => ({ granted: isOne(won) })),
    release: async (server, { key }) => map(await server.run(handedScript, [key, `${key}:next`], client), isOne),
  });
  const driver: LockDriver = {
    connect: (environment) => composeLock({ protocol: handing(environment.client) }).connect(environment),
  };
  expect(await breaking(driver, "lease-exclusion")).toContain(
    "released late, while another one holds and a third one waits",
  );
});

test("a lock is granted more often than it can count", async () => {
  const countedScript = scriptOf(`
    -- KEYS[1] lock, KEYS[2] the latest grants, ARGV[1] owner value, ARGV[2] lease in ms.
    if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
    redis.call('LPUSH', KEYS[2], ARGV[1])
    -- The bug: the list grows no longer.
    redis.call('LTRIM', KEYS[2], 0, 9)
    return redis.call('LLEN', KEYS[2])`);
  const counted: Protocol = {
    acquire: async (server, { key, owner, ttlMs }) =>
      map(await server.run(countedScript, [key, `${key}:grants`], owner, ttlMs), (count) =>
        typeof count === "number" && count > 0 ? { granted: true, fence: count } : { granted: false },
      ),
    release: (server, request) => ownedKey.release(server, request),
  };
  expect(await breaking(composeLock({ protocol: counted }), "fencing-tokens")).toContain(
    "released late again and again",
  );
});

test("an owner value begins like one that was drawn much earlier", async () => {
  expect(
    await breaking(
      numberedOwners((key) => `${key}:grants`),
      "lease-exclusion",
    ),
  ).toEqual(["released late after many short holds of another one"]);
});
