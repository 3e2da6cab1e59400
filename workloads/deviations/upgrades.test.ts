import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "../../harness/campaign/systematic/learn.ts";
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { skillsOf } from "../../harness/campaign/systematic/systematic-plans.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { siblingKey } from "../../lock-impl/parts/keys.ts";
import { isOne, map, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { scriptOf } from "../../lock-impl/parts/scripts.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { planSchema } from "../../harness/core/plan.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });
const supports = { modes: true };

const acquireScript = scriptOf(`
  -- KEYS[1] readers and their clients, KEYS[2] writer, ARGV: owner value, client, mode, lease in ms, who may upgrade.
  if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
  if ARGV[3] ~= 'exclusive' then
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
    return 1
  end
  local own, others = 0, 0
  for _, client in ipairs(redis.call('HVALS', KEYS[1])) do
    if client == ARGV[2] then own = own + 1 else others = others + 1 end
  end
  if own > 0 and ARGV[5] == 'nobody' then return 0 end
  if others > 0 and not (own > 0 and ARGV[5] == 'anybody') then return 0 end
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[4])
  return 1`);
const releaseScript = scriptOf(`
  if redis.call('GET', KEYS[2]) == ARGV[1] then return redis.call('DEL', KEYS[2]) end
  return redis.call('HDEL', KEYS[1], ARGV[1])`);

/** Which reader is let in as a writer: one that reads alone, any, or none. */
type Upgrade = "alone" | "anybody" | "nobody";

function driverOf(upgrade: Upgrade): LockDriver {
  return {
    supports,
    connect: (environment) => {
      const protocol: Protocol = {
        async acquire(server, { key, owner, ttlMs, sharing: { mode = "exclusive" } = {} }) {
          const keys = [key, siblingKey(key, "writer")];
          const reply = await server.run(acquireScript, keys, owner, environment.client, mode, ttlMs, upgrade);
          return map(reply, (taken) => ({ granted: isOne(taken) }));
        },
        release: async (server, { key, owner }) =>
          map(await server.run(releaseScript, [key, siblingKey(key, "writer")], owner), isOne),
      };
      return composeLock({ protocol, supports }).connect(environment);
    },
  };
}

async function breaking(upgrade: Upgrade): Promise<{ readonly upgrades: unknown; readonly names: readonly string[] }> {
  const driver = driverOf(upgrade);
  const drawnFrom = { lock: "./mine.ts", topology, faults: [], supports };
  const skills = await skillsOf({ drawnFrom, seed: 1, learn: learnSimulated({ driver }) });
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false, supports };
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, skills)) {
    if (!name.includes("become")) continue;
    const { record } = await runSimulated(plan, { title: name, required: ["lease-exclusion"], driver });
    if (record.verdict.verdict !== "valid") names.push(name);
  }
  return { upgrades: skills.upgrades, names };
}

test("a lock that lets a reader write beside another reader is found, and one that waits until it is alone is not", async () => {
  expect(await breaking("alone")).toEqual({ upgrades: true, names: [] });
  expect(await breaking("nobody")).toEqual({ upgrades: false, names: [] });
  const { upgrades, names } = await breaking("anybody");
  expect(upgrades).toBe(true);
  expect(names).toContain("a reader becomes a writer beside another reader");
});

test("a re-entry states a mode only where its section does", () => {
  const upgrade = { do: "reenter", ttlMs: 500, mode: "exclusive", steps: [] };
  const of = (mode: object): string | undefined =>
    planSchema.safeParse({
      format: "lockstorm-plan",
      version: 1,
      seed: 1,
      lock: "single",
      topology,
      clients: [{ sections: [{ key: "k1", ttlMs: 500, waitMs: 0, steps: [upgrade], ...mode }] }],
      faults: [],
    }).error?.issues[0]?.message;
  expect(of({ mode: "shared" })).toBeUndefined();
  expect(of({})).toBe("a re-entry states a `mode`, and its section states none");
});
