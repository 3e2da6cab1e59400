import { isOne, map, type Protocol } from "./protocol.ts";
import { scriptOf } from "./scripts.ts";

const acquireScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] mode, ARGV[4] whose lease the key has: 'first' or 'longest'.
  if redis.call('HEXISTS', KEYS[1], 'writer') == 1 then return 0 end
  local first = redis.call('EXISTS', KEYS[1]) == 0
  if ARGV[3] ~= 'shared' then
    if not first then return 0 end
    redis.call('HSET', KEYS[1], 'writer', ARGV[1])
  else
    redis.call('HINCRBY', KEYS[1], 'readers', 1)
  end
  if first or (ARGV[4] == 'longest' and redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2])) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return 1`);

const releaseScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value.
  local writer = redis.call('HGET', KEYS[1], 'writer')
  if writer == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  if writer or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  if redis.call('HINCRBY', KEYS[1], 'readers', -1) <= 0 then redis.call('DEL', KEYS[1]) end
  return 1`);

/**
 * A read-write lock that counts its readers and does not know them: a hash with the writer's owner value, or the number
 * of readers. The key lasts as long as the first reader's lease, or as the longest.
 */
export function countedReaders(lease: "first" | "longest"): Protocol {
  return {
    async acquire(server, { key, owner, ttlMs, sharing: { mode = "exclusive" } = {} }) {
      const reply = await server.run(acquireScript, [key], owner, ttlMs, mode, lease);
      return map(reply, (taken) => ({ granted: isOne(taken) }));
    },
    async release(server, { key, owner }) {
      return map(await server.run(releaseScript, [key], owner), isOne);
    },
  };
}
