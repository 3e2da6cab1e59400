import { driver as single } from "../rungs/single.ts";
import { withWatchdog } from "../watchdog.ts";

/** Whoever cannot renew its lease carries on as if it could. */
export const driver = withWatchdog(single, "aggressive");
