import { renewedLease, specimen } from "./specimen.ts";
import { SOUND_RENEWAL } from "../parts/renewing/renewal.ts";
import { single } from "../ladder/single.ts";
import { withWatchdog } from "../parts/renewing/watchdog.ts";

/**
 * Learns of a loss only from the server: when it is cut off, it carries on for ever. No clock of its own ends the hold.
 */
export const watchdogSilent = specimen(renewedLease, {
  name: "watchdog-silent",
  flaw: "learns of a lost lease only from the server; partitioned from it, it holds for ever",
  shows: { property: "mutual-exclusion", under: ["partition"], cause: "overrun", source: "watchdog-silent" },
  load: async () => withWatchdog(await single.load(), "conservative", { ...SOUND_RENEWAL, localDeadline: false }),
});
