import { quorumLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/** Measures the elapsed time by the wall clock: a clock that is stepped back in between makes an old lease look new. */
export const wallClockLease = specimen(quorumLease, {
  name: "wall-clock-lease",
  flaw: "measures the elapsed time by the wall clock, which can jump back in between",
  shows: { property: "lease-exclusion", under: ["clock-jump"], cause: "clock-jump", source: "client-clock-back" },
  load: fromParts({ ...redlockParts, timeouts: LONG_TIMEOUTS, now: () => Date.now() }),
});
