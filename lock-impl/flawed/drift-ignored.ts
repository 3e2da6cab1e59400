import { quorumLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { noDrift } from "../parts/lease.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/**
 * Assumes that all clocks run equally fast: on servers whose clocks run a little faster, a lease ends before its holder
 * thinks so.
 */
export const driftIgnored = specimen(quorumLease, {
  name: "drift-ignored",
  flaw: "assumes that all clocks run at the same rate",
  shows: { property: "lease-exclusion", under: ["clock-rate"], cause: "clock-rate", source: "clock-rate-skew" },
  load: fromParts({ ...redlockParts, drift: noDrift }),
});
