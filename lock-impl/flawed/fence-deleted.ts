import { composeLock } from "../compose.ts";
import { siblingKey } from "../keys.ts";
import { fencedKey, map, type Protocol } from "../protocol.ts";
import { scriptOf } from "../scripts.ts";

const tidyRelease = scriptOf(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1], KEYS[2])
end
return 0`);

/** Unlocking tidies the fence counter away with the lock: every hold has token 1. */
const tidied = {
  ...fencedKey,
  async free(server, { key, owner }) {
    const reply = await server.run(tidyRelease, [key, siblingKey(key, "fence")], owner);
    return map(reply, (deleted) => Number(deleted) > 0);
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: tidied });
