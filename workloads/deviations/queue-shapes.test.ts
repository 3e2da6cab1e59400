import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { siblingKey } from "../../lock-impl/parts/keys.ts";
import { isOne, map } from "../../lock-impl/parts/protocol.ts";
import { type QueueProtocol, ticketQueue } from "../../lock-impl/parts/queue/queue-protocol.ts";
import { queueLock } from "../../lock-impl/parts/queue/queued-lock.ts";
import { scriptOf } from "../../lock-impl/parts/scripts.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });

/** The workloads in whose run without faults the lock does not serve its clients in turn. */
async function breaking(protocol: QueueProtocol): Promise<readonly string[]> {
  const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false, supports: { fair: true } };
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, { extends: false, reenters: false })) {
    const required = ["first-come-first-served"] as const;
    const { record } = await runSimulated(plan, { title: name, required, driver: queueLock(protocol) });
    if (record.verdict.verdict === "invalid") names.push(name);
  }
  return names;
}

const leaveFirstScript = scriptOf(`
  -- KEYS[1] lock, KEYS[2] queue: owner values by ticket, ARGV[1] owner value.
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  if first == ARGV[1] then redis.call('ZREM', KEYS[2], first)
  -- The bug: whoever gives up behind another one sends the first to the end.
  elseif first then redis.call('ZADD', KEYS[2], last + 1, first) end
  return 0`);

test("one that gives up behind another takes the place of that one away", { tags: "long" }, async () => {
  const takesPlaces: QueueProtocol = {
    ...ticketQueue,
    leave: async (server, { key, owner }) =>
      map(await server.run(leaveFirstScript, [key, siblingKey(key, "queue")], owner), isOne),
  };
  expect(await breaking(takesPlaces)).toEqual(["a queue, and two that give up"]);
  expect(await breaking(ticketQueue)).toEqual([]);
});
