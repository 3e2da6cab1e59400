import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { isOne, map, ownedKey, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";

const acquireScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms.
  local won = redis.call('SETNX', KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return won`);

/** Sets the expiry at each try, also at one that is refused: whoever waits prolongs the lease of a holder that has died. */
const prolonging = {
  ...ownedKey,
  async acquire(server, { key, owner, ttlMs }) {
    return map(await server.run(acquireScript, [key], owner, ttlMs), (won) => ({ granted: isOne(won) }));
  },
} satisfies Protocol;

export const refusedTryProlongs = specimen(plainLease, {
  name: "refused-try-prolongs",
  flaw: "each try sets the expiry, also a refused one: those that wait keep the lease of a dead holder alive",
  shows: {
    property: "deadlock-freedom",
    under: ["kill-client"],
    cause: "never-freed",
    source: "INCR, and EXPIRE at each try",
  },
  load: fromParts({ protocol: prolonging }),
});
