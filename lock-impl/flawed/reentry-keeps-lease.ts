import { reentrantLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, type AcquireAnswer, type Protocol } from "../parts/protocol.ts";
import { countedHash, generations } from "../parts/reentry.ts";
import { scriptOf } from "../parts/scripts.ts";

/** Counts one entry more, and leaves the lease as it is. */
const countScript = scriptOf(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)`);

/** The server counts the re-entry, but only the client believes that it prolonged the lease. */
const extendedOnlyLocally = {
  ...countedHash,
  async acquire(server, request) {
    if (!request.inner) return countedHash.acquire(server, request);
    const counted = await server.run(countScript, [request.key], request.owner);
    return map(counted, (entries): AcquireAnswer => ({ granted: entries !== 0 }));
  },
} satisfies Protocol;

export const reentryKeepsLease = specimen(reentrantLease, {
  name: "reentry-keeps-lease",
  flaw: "a re-entry reports a whole lease, but leaves the lease on the server as it was",
  shows: {
    property: "lease-exclusion",
    under: ["none"],
    cause: "double-grant",
    source: "a lease that only the client prolonged",
  },
  load: fromParts({ protocol: extendedOnlyLocally, ownHolds: generations }),
});
