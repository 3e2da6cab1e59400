import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { siblingKey } from "../parts/keys.ts";
import { fencedKey, map, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";

const tidyRelease = scriptOf(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1], KEYS[2])
end
return 0`);

/** Unlocking deletes the fence counter together with the lock: every hold has fencing token 1. */
const tidied = {
  ...fencedKey,
  async release(server, { key, owner }) {
    const reply = await server.run(tidyRelease, [key, siblingKey(key, "fence")], owner);
    return map(reply, (deleted) => Number(deleted) > 0);
  },
} satisfies Protocol;

export const fenceDeleted = specimen(fencedLease, {
  name: "fence-deleted",
  flaw: "unlocking deletes the fencing token counter: every hold has token 1",
  shows: { property: "fencing-tokens", under: ["none"], cause: "token-rollback", source: "tidiness" },
  load: fromParts({ protocol: tidied }),
});
