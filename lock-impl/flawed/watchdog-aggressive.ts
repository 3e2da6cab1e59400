import { renewedLease, specimen } from "./specimen.ts";
import { single } from "../ladder/single.ts";
import { withWatchdog } from "../parts/renewing/watchdog.ts";

/** A holder that cannot renew its lease carries on as if it could. */
export const watchdogAggressive = specimen(renewedLease, {
  name: "watchdog-aggressive",
  flaw: "a holder that cannot renew its lease continues as if it could",
  shows: { property: "mutual-exclusion", under: ["partition"], cause: "overrun", source: "watchdog-silent" },
  load: async () => withWatchdog(await single.load(), "aggressive"),
});
