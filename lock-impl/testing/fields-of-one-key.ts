import { isOne, map, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";

const acquireScript = scriptOf(`
  -- KEYS[1] all locks, ARGV[1] key, ARGV[2] owner value, ARGV[3] lease in ms.
  local won = redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
  if won == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
  return won`);

const releaseScript = scriptOf(`
  -- KEYS[1] all locks, ARGV[1] key, ARGV[2] owner value.
  if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end
  return 0`);

/** For tests, a lock that is wrong: all locks are fields of one hash, and the lease of each is that of them all. */
export const fieldsOfOneKey: Protocol = {
  async acquire(server, { key, owner, ttlMs }) {
    return map(await server.run(acquireScript, ["locks"], key, owner, ttlMs), (won) => ({ granted: isOne(won) }));
  },
  async release(server, { key, owner }) {
    return map(await server.run(releaseScript, ["locks"], key, owner), isOne);
  },
};
