import { renewedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { SOUND_RENEWAL } from "../parts/renewing/renewal.ts";
import { withWatchdog } from "../parts/renewing/watchdog.ts";
import { recreatingKey } from "./extend-recreates.ts";

/** Unlocking does not end the renewing, which recreates the lock: nobody holds it, and it never expires. */
export const renewalOutlivesUnlock = specimen(renewedLease, {
  name: "renewal-outlives-unlock",
  flaw: "unlocking does not stop the renewal, which recreates the lock without a holder",
  shows: { property: "deadlock-freedom", under: ["none"], cause: "never-freed", source: "watchdog-outlives-unlock" },
  load: async () =>
    withWatchdog(await fromParts({ protocol: recreatingKey })(), "conservative", {
      ...SOUND_RENEWAL,
      stopsAtUnlock: false,
    }),
});
