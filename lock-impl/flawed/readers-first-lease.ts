import { readersAndWriters, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { isOne, map, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";
import { readersAndWriter } from "../parts/shared-leases.ts";

const acquireScript = scriptOf(`
  -- KEYS[1] lock, ARGV[1] owner value, ARGV[2] lease in ms, ARGV[3] 'shared' or 'exclusive'.
  local clock = redis.call('TIME')
  local over = clock[1] * 1000000 + clock[2] + ARGV[2] * 1000
  local first = redis.call('EXISTS', KEYS[1]) == 0
  if ARGV[3] == 'shared' and redis.call('ZSCORE', KEYS[1], 'writer') then return 0 end
  if ARGV[3] ~= 'shared' then
    if not first then return 0 end
    redis.call('ZADD', KEYS[1], over, 'writer')
  end
  redis.call('ZADD', KEYS[1], over, ARGV[1] .. ':1')
  if first then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 1`);

/** The lease of the first reader is that of all: a writer comes while later readers still read. */
const expiringOnce = {
  ...readersAndWriter,
  async acquire(server, { key, owner, ttlMs, sharing: { mode = "exclusive" } = {} }) {
    return map(await server.run(acquireScript, [key], owner, ttlMs, mode), (taken) => ({ granted: isOne(taken) }));
  },
} satisfies Protocol;

export const readersFirstLease = specimen(readersAndWriters, {
  name: "readers-first-lease",
  flaw: "a read-write lock whose expiry is set by the first reader only: it ends while later readers still read",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "an expiry that is set once" },
  load: fromParts({ protocol: expiringOnce, supports: { modes: true } }),
});
