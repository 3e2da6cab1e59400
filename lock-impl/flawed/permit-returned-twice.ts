import { semaphoreOfLeases, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { siblingKey } from "../parts/keys.ts";
import { isOne, map, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";

const acquireScript = scriptOf(`
  -- KEYS[1] free permits, KEYS[2] ends of leases, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] permits, ARGV[4] limit.
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('SET', KEYS[1], ARGV[4], 'NX')
  for _, expired in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
    redis.call('ZREM', KEYS[2], expired)
    redis.call('INCRBY', KEYS[1], expired:match('^%d+'))
  end
  if tonumber(redis.call('GET', KEYS[1])) < tonumber(ARGV[3]) then return 0 end
  redis.call('DECRBY', KEYS[1], ARGV[3])
  redis.call('ZADD', KEYS[2], now + ARGV[2] + 1, ARGV[3] .. ':' .. ARGV[1])
  return 1`);

const releaseScript = scriptOf(`
  -- KEYS[1] free permits, KEYS[2] ends of leases, ARGV[1] owner value, ARGV[2] permits.
  local found = redis.call('ZREM', KEYS[2], ARGV[2] .. ':' .. ARGV[1])
  redis.call('INCRBY', KEYS[1], ARGV[2])
  return found`);

/**
 * Counts the free permits. A permit whose lease is over is given back by the next client that asks, and once more by the late
 * release of its owner (Redisson #4091; the Ruby gem redis-semaphore, #65).
 */
const countedFree = {
  async acquire(server, { key, owner, ttlMs, sharing: { permits = 1, limit = 1 } = {} }) {
    const keys = [key, siblingKey(key, "leases")];
    const reply = await server.run(acquireScript, keys, owner, ttlMs, permits, limit);
    return map(reply, (taken) => ({ granted: isOne(taken) }));
  },
  async release(server, { key, owner, sharing: { permits = 1 } = {} }) {
    return map(await server.run(releaseScript, [key, siblingKey(key, "leases")], owner, permits), isOne);
  },
} satisfies Protocol;

export const permitReturnedTwice = specimen(semaphoreOfLeases, {
  name: "permit-returned-twice",
  flaw: "a semaphore takes back the permit of a lease that is over, and once more when its owner releases it",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "Redisson #4091" },
  load: fromParts({ protocol: countedFree, supports: { permits: true } }),
});
