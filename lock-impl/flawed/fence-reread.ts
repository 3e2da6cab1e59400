import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { siblingKey } from "../parts/keys.ts";
import { fencedKey, map, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";

/** Mints the fencing token in the acquire script, but reads it afterwards: by then it can be the next holder's. */
const readLater = {
  ...fencedKey,
  async acquire(server, request) {
    const answer = await fencedKey.acquire(server, request);
    if (answer.type !== "ok" || !answer.value.granted) return answer;
    const read = await server.command("GET", siblingKey(request.key, "fence"));
    return map(read, (fence): AcquireAnswer => ({ granted: true, fence: Number(fence) }));
  },
} satisfies Protocol;

export const fenceReread = specimen(fencedLease, {
  name: "fence-reread",
  flaw: "reads its fencing token after it has the lock, when the token can be the next holder's",
  shows: {
    property: "fencing-tokens",
    under: ["latency"],
    cause: "token-rollback",
    source: "two round trips where one is needed",
  },
  load: fromParts({
    protocol: readLater,
    timeouts: LONG_TIMEOUTS,
    // Like many locks, it reports no validity, and so never notices how long the acquisition took.
    validity: () => undefined,
  }),
});
