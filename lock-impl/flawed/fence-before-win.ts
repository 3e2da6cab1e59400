import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { map, ownedKey, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";
import { siblingKey } from "../parts/keys.ts";

/** Mints the fencing token before it wins the lock: a client that mints first and wins second holds the lower one. */
const drawFirst = {
  ...ownedKey,
  async acquire(server, request) {
    const drawn = await server.command("INCR", siblingKey(request.key, "fence"));
    if (drawn.type !== "ok") return map(drawn, (): AcquireAnswer => ({ granted: false }));
    const answer = await ownedKey.acquire(server, request);
    return map(answer, ({ granted }): AcquireAnswer =>
      granted ? { granted, fence: Number(drawn.value) } : { granted },
    );
  },
} satisfies Protocol;

export const fenceBeforeWin = specimen(fencedLease, {
  name: "fence-before-win",
  flaw: "draws the fencing token before it has the lock",
  shows: {
    property: "linearizability",
    under: ["latency"],
    cause: "token-rollback",
    source: "two round trips where one is needed",
  },
  load: fromParts({ protocol: drawFirst, timeouts: LONG_TIMEOUTS }),
});
