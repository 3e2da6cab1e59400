import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { composeLock } from "../parts/compose.ts";
import { isOne, map, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";

const numberedScript = scriptOf(`
  -- KEYS[1] lock, KEYS[2] the number of grants, ARGV[1] lease in ms.
  if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
  local number = redis.call('INCR', KEYS[2])
  redis.call('SET', KEYS[1], number, 'PX', ARGV[1])
  return number`);

const freedScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value.
  local owner = redis.call('GET', KEYS[1])
  -- The bug: 1 frees what 12 holds.
  if owner and string.find(owner, ARGV[1], 1, true) == 1 then return redis.call('DEL', KEYS[1]) end
  return 0`);

/**
 * A lock whose owner values are numbers, of which a release compares the beginning.
 *
 * @param counterOf the key that counts the grants of a lock's key
 */
export function numberedOwners(counterOf: (key: string) => string): LockDriver {
  return { connect: (environment) => composeLock({ protocol: numbered(counterOf) }).connect(environment) };
}

function numbered(counterOf: (key: string) => string): Protocol {
  const numbers = new Map<string, number>();
  return {
    async acquire(server, { key, owner, ttlMs }) {
      const answer = await server.run(numberedScript, [key, counterOf(key)], ttlMs);
      if (answer.type === "ok") numbers.set(owner, Number(answer.value));
      return map(answer, (number) => ({ granted: Number(number) > 0 }));
    },
    release: async (server, { key, owner }) =>
      map(await server.run(freedScript, [key], `${numbers.get(owner)}`), isOne),
  };
}
