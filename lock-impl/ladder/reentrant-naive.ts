import type { LockEntry } from "../lock-entry.ts";
import { leasedOnOneServer } from "../lock-kinds.ts";
import { randomUUID } from "node:crypto";
import { fromParts } from "../parts/from-parts.ts";
import { ownersFrom } from "../parts/own-holds.ts";
import { map, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";
import { countedHash } from "../parts/reentry.ts";
import { scriptOf } from "../parts/scripts.ts";

const enterScript = scriptOf(`
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return nil
end
return redis.call('PTTL', KEYS[1])`);

/**
 * All holds of a client have the same owner value, and an entry that finds the lock free takes it. A late unlock of an
 * earlier hold counts for the present one, and frees it. When the outer hold was lost, an inner entry starts the count
 * at one again, and its unlock frees the lock that the outer section believes it holds; the lock promised no more, but
 * it told nobody.
 */
const withoutGenerations = {
  ...countedHash,
  async acquire(server, { key, owner, ttlMs }) {
    return map(await server.run(enterScript, [key], owner, ttlMs), (reply): AcquireAnswer => ({
      granted: reply === null,
    }));
  },
} satisfies Protocol;

export const reentrantNaive: LockEntry = {
  ...leasedOnOneServer,
  name: "reentrant-naive",
  title: "a hash that counts the owner's entries; one owner value per client",
  load: fromParts({
    protocol: withoutGenerations,
    ownHolds: () => {
      const owner = randomUUID();
      return ownersFrom(() => owner);
    },
  }),
  reentrant: true,
  flawed: true,
  flaw: "an unlock that arrives late counts for the client's next hold, and frees it",
  limits: [
    {
      property: "lease-exclusion",
      topology: "single",
      under: "latency",
      cause: "foreign-release",
      source: "owner-value-reuse",
    },
    ...leasedOnOneServer.limits,
  ],
  lesson: {
    shows: { property: "lease-exclusion", topology: "single", under: "latency" },
    fixedBy: "reentrant",
    how: "Each outermost hold has a generation: an inner entry or unlock counts only for its own hold.",
  },
};
