import { randomUUID } from "node:crypto";
import { composeLock } from "../compose.ts";
import { ownersFrom } from "../own-holds.ts";
import { map, type Protocol, type Taking } from "../protocol.ts";
import { countedHash } from "../reentry.ts";
import { scriptOf } from "../scripts.ts";

const enterScript = scriptOf(`
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return nil
end
return redis.call('PTTL', KEYS[1])`);

/**
 * The same owner in every hold of a client, and whoever finds the lock free enters it: an inner entry after the outer
 * hold was lost counts from one again, and its unlock frees what the outer section believes to hold.
 */
const withoutGenerations = {
  ...countedHash,
  async take(server, { key, owner, ttlMs }) {
    return map(await server.run(enterScript, [key], owner, ttlMs), (reply): Taking => ({ taken: reply === null }));
  },
} satisfies Protocol;

export const driver = composeLock({
  protocol: withoutGenerations,
  ownHolds: () => {
    const owner = randomUUID();
    return ownersFrom(() => owner);
  },
});
