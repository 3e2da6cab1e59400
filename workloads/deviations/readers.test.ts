import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { isOne, map, ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { scriptOf } from "../../lock-impl/parts/scripts.ts";
import { smallWorkloads } from "./workloads.ts";

const supports = { modes: true };

/** The workloads that break a read-write lock with these readers. */
async function breaking(readers: Protocol): Promise<readonly string[]> {
  const topology = topologySchema.parse({ kind: "single" });
  const options = { lock: "./mine.ts", topology, fencing: false, seed: 1, outlives: true, supports };
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, { extends: false, reenters: false })) {
    // Each run has its own, since owner values are the same in each.
    const driver = { ...composeLock({ protocol: readersAndWriter(readers) }), supports };
    const { record } = await runSimulated(plan, { title: name, required: ["lease-exclusion"], driver });
    if (record.verdict.verdict === "invalid") names.push(name);
  }
  return names;
}

/** Keeps readers in one key and the writer in another. */
function readersAndWriter(readers: Protocol): Protocol {
  const reading = new Set<string>();
  return {
    async acquire(server, request) {
      const { key, owner, ttlMs, sharing } = request;
      if (sharing?.mode === "shared") {
        reading.add(owner);
        return readers.acquire(server, { ...request, key: readersOf(key) });
      }
      const won = await server.run(writeScript, [key, readersOf(key)], owner, ttlMs);
      return map(won, (answer) => ({ granted: isOne(answer) }));
    },
    release: (server, { key, owner }) =>
      reading.has(owner)
        ? readers.release(server, { key: readersOf(key), owner })
        : ownedKey.release(server, { key, owner }),
  };
}

const READERS = ":readers";
const readersOf = (key: string): string => `${key}${READERS}`;

const writeScript = scriptOf(`
  -- KEYS[1] writer, KEYS[2] readers, ARGV[1] owner value, ARGV[2] lease in ms.
  if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
  if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
  return 0`);

/** Readers who join and leave by these lines of Lua. */
function readersBy(join: string, leave: string): Protocol {
  const joinScript = scriptOf(`
    -- KEYS[1] readers, KEYS[2] writer, ARGV[1] owner value, ARGV[2] lease in ms.
    if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
    ${join}
    return 1`);
  const leaveScript = scriptOf(leave);
  return {
    async acquire(server, { key, owner, ttlMs }) {
      const writer = key.slice(0, -READERS.length);
      return map(await server.run(joinScript, [key, writer], owner, ttlMs), (won) => ({ granted: isOne(won) }));
    },
    release: async (server, { key, owner }) => map(await server.run(leaveScript, [key], owner), isOne),
  };
}

test("a reader releases after its lease, while another one reads that has not met it", { tags: "long" }, async () => {
  const counted = readersBy(
    `redis.call('INCR', KEYS[1])
    if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`,
    `if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
    if redis.call('DECR', KEYS[1]) <= 0 then redis.call('DEL', KEYS[1]) end
    return 1`,
  );
  expect(await breaking(counted)).toEqual(["released late, while another one holds, two readers and a writer"]);
});

test("a reader joins with a shorter lease than the one that reads already", { tags: "long" }, async () => {
  const lastLease = readersBy(
    "redis.call('HSET', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], ARGV[2])",
    "return redis.call('HDEL', KEYS[1], ARGV[1])",
  );
  expect(await breaking(lastLease)).toEqual(["a shorter lease beside a longer one, two readers and a writer"]);
});
