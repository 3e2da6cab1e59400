import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { siblingKey } from "../parts/keys.ts";
import { fencedKey, type Protocol } from "../parts/protocol.ts";

/**
 * The fence counter has an expiry, like everything else in the cache: after a quiet period fencing tokens start at 1
 * again.
 */
const expiringCounter = {
  ...fencedKey,
  async acquire(server, request) {
    const answer = await fencedKey.acquire(server, request);
    if (answer.type === "ok" && answer.value.granted) {
      await server.command("PEXPIRE", siblingKey(request.key, "fence"), request.ttlMs);
    }
    return answer;
  },
} satisfies Protocol;

export const fenceExpires = specimen(fencedLease, {
  name: "fence-expires",
  flaw: "the fencing token counter expires like a cache entry, and tokens start at 1 again",
  shows: { property: "fencing-tokens", under: ["none"], cause: "token-rollback", source: "eviction" },
  load: fromParts({ protocol: expiringCounter }),
});
