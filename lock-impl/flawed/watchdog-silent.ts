import { SOUND_RENEWAL } from "../renewal.ts";
import { driver as single } from "../rungs/single.ts";
import { withWatchdog } from "../watchdog.ts";

/**
 * Learns of a loss only from the server: cut off from it, it goes on for ever. No clock of its own ends the hold.
 */
export const driver = withWatchdog(single, "conservative", { ...SOUND_RENEWAL, localDeadline: false });
