import { readersAndWriters, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { isOne, map, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";

const acquireScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] 'shared' or 'exclusive'.
  if redis.call('HEXISTS', KEYS[1], 'writer') == 1 then return 0 end
  if ARGV[3] == 'shared' then
    redis.call('HINCRBY', KEYS[1], 'readers', 1)
  else
    if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
    redis.call('HSET', KEYS[1], 'writer', ARGV[1])
  end
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 1`);

const releaseScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value.
  local writer = redis.call('HGET', KEYS[1], 'writer')
  if writer == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  if writer or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  if redis.call('HINCRBY', KEYS[1], 'readers', -1) <= 0 then redis.call('DEL', KEYS[1]) end
  return 1`);

/** Any reader's release takes one from the count: also that of a reader who is not counted any more. */
const countedReaders = {
  async acquire(server, { key, owner, ttlMs, sharing: { mode = "exclusive" } = {} }) {
    return map(await server.run(acquireScript, [key], owner, ttlMs, mode), (taken) => ({ granted: isOne(taken) }));
  },
  async release(server, { key, owner }) {
    return map(await server.run(releaseScript, [key], owner), isOne);
  },
} satisfies Protocol;

export const readersUnknown = specimen(readersAndWriters, {
  name: "readers-unknown",
  flaw: "a read-write lock counts its readers without their owner values: a late release takes away another reader",
  shows: { property: "lease-exclusion", under: ["none"], cause: "foreign-release", source: "a count of readers" },
  load: fromParts({ protocol: countedReaders, supports: { modes: true } }),
});
