import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { siblingKey } from "../parts/keys.ts";
import { map, ownedKey, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";

/**
 * Takes the key, and mints the fencing token by a second command: a client that is slow between the two gets the newer
 * one.
 */
const mintedAfterwards = {
  ...ownedKey,
  async acquire(server, request) {
    const answer = await ownedKey.acquire(server, request);
    if (answer.type !== "ok" || !answer.value.granted) return answer;
    const minted = await server.command("INCR", siblingKey(request.key, "fence"));
    return map(minted, (fence): AcquireAnswer => ({ granted: true, fence: Number(fence) }));
  },
} satisfies Protocol;

export const fenceSecondCommand = specimen(fencedLease, {
  name: "fence-second-command",
  flaw: "takes the key, and draws the fencing token in a second command: a client that is slow between the two gets a newer token than the next holder",
  shows: {
    property: "fencing-tokens",
    under: ["latency"],
    cause: "token-overtaken",
    source: "two round trips where one is needed",
  },
  load: fromParts({
    protocol: mintedAfterwards,
    timeouts: LONG_TIMEOUTS,
    // Like many locks, it reports no validity, and so never notices how long the acquisition took.
    validity: () => undefined,
  }),
});
