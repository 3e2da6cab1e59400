import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { ownedKey, type Protocol } from "../parts/protocol.ts";

/** Swallows the time-out of the acquisition and goes on as if it had the lock. */
const optimistic = {
  ...ownedKey,
  async acquire(server, request) {
    const answer = await ownedKey.acquire(server, request);
    return answer.type === "info" ? { type: "ok", value: { granted: true } } : answer;
  },
} satisfies Protocol;

export const timeoutIsSuccess = specimen(plainLease, {
  name: "timeout-is-success",
  flaw: "ignores the time-out of the acquire and continues as if it had the lock",
  shows: {
    property: "lease-exclusion",
    under: ["stall", "partition", "latency", "pause-node", "pause-client", "reset"],
    cause: "double-grant",
    source: "error-as-success",
  },
  load: fromParts({ protocol: optimistic }),
});
