import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { ownedKey, type Protocol } from "../parts/protocol.ts";

/**
 * Asks again when the first answer is missing, and takes "there was nothing to delete" for a failure: but the request
 * whose answer is missing may have deleted it, or the retry may have been overtaken by it.
 */
const retried = {
  ...ownedKey,
  async release(server, request) {
    const first = await ownedKey.release(server, request);
    if (first.type !== "info") return first;
    const second = await ownedKey.release(server, request);
    if (second.type !== "ok" || second.value) return second;
    return { type: "fail", kind: "error", reason: "the lock could not be released" };
  },
} satisfies Protocol;

export const releaseRetried = specimen(plainLease, {
  name: "release-retried",
  flaw: "retries an unlock whose reply was lost, and reports the second answer, 0, as a failure",
  shows: {
    property: "linearizability",
    under: ["reset", "latency"],
    cause: "double-grant",
    source: "reply-lost-acquire",
  },
  load: fromParts({ protocol: retried }),
});
