import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { byConnection } from "../parts/by-connection.ts";
import { siblingKey } from "../parts/keys.ts";
import { ownedKey, type Protocol } from "../parts/protocol.ts";

/** The fencing token that was minted and has not won yet, by key. */
const drawnBy = byConnection<number>();

/**
 * Mints its fencing token before the first try and keeps it until it wins: other clients overtake it while it waits.
 */
const drawnOnce = {
  ...ownedKey,
  async acquire(server, request) {
    const kept = drawnBy(server);
    if (!kept.has(request.key)) {
      const minted = await server.command("INCR", siblingKey(request.key, "fence"));
      if (minted.type !== "ok") return minted;
      kept.set(request.key, Number(minted.value));
    }
    const fence = kept.get(request.key) ?? 0;
    const answer = await ownedKey.acquire(server, request);
    if (answer.type !== "ok" || !answer.value.granted) return answer;
    kept.delete(request.key);
    return { type: "ok", value: { granted: true, fence } };
  },
} satisfies Protocol;

export const fenceKeptOverRetries = specimen(fencedLease, {
  name: "fence-kept-over-retries",
  flaw: "draws its fencing token before the first try and keeps it while it waits and others overtake it",
  shows: {
    property: "fencing-tokens",
    under: ["none"],
    cause: "token-overtaken",
    source: "a ticket drawn at the end of the queue",
  },
  load: fromParts({ protocol: drawnOnce }),
});
