import { quorumLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/** Counts the lease from when the replies arrived, not from when the requests were sent. */
export const validityAfterReplies = specimen(quorumLease, {
  name: "validity-after-replies",
  flaw: "counts the lease from the arrival of the replies, not from the sending of the requests",
  shows: {
    property: "lease-exclusion",
    under: ["latency"],
    cause: "double-grant",
    source: "bad-elapsed-check",
  },
  load: fromParts({
    ...redlockParts,
    timeouts: LONG_TIMEOUTS,
    validity: ({ ttlMs }) => ttlMs - redlockParts.drift(ttlMs),
  }),
});
