import { quorumLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/** Counts the votes, not the time that they took: it hands out a lease that has already ended. */
export const noElapsedCheck = specimen(quorumLease, {
  name: "no-elapsed-check",
  flaw: "counts the votes but not the elapsed time: it can grant a lease that is already over",
  shows: {
    property: "lease-exclusion",
    under: ["latency"],
    cause: "expired-grant",
    source: "bad-elapsed-check",
  },
  load: fromParts({ ...redlockParts, timeouts: LONG_TIMEOUTS, worthHaving: () => true }),
});
