import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, ownedKey, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";

/**
 * Uses the winner's wall clock as fencing token: two clients' clocks are two counters, and each can be stepped back.
 */
const timestamped = {
  ...ownedKey,
  async acquire(server, request) {
    const answer = await ownedKey.acquire(server, request);
    return map(answer, ({ granted }): AcquireAnswer => (granted ? { granted, fence: Date.now() } : { granted }));
  },
} satisfies Protocol;

export const fenceWallClock = specimen(fencedLease, {
  name: "fence-wall-clock",
  flaw: "uses the holder's wall clock as fencing token: the clock can jump back",
  shows: { property: "fencing-tokens", under: ["clock-jump"], cause: "token-rollback", source: "client-clock-back" },
  load: fromParts({ protocol: timestamped }),
});
