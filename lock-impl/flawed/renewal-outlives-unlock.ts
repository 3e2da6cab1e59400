import { composeLock } from "../compose.ts";
import { SOUND_RENEWAL } from "../renewal.ts";
import { withWatchdog } from "../watchdog.ts";
import { recreatingKey } from "./extend-recreates.ts";

/** Unlocking does not end the renewing, which makes the lock again: held by nobody, for ever. */
export const driver = withWatchdog(composeLock({ protocol: recreatingKey }), "conservative", {
  ...SOUND_RENEWAL,
  stopsAtUnlock: false,
});
