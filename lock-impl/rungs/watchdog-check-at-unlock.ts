import { withWatchdog } from "../watchdog.ts";
import { driver as single } from "./single.ts";

/** `single`, renewed every third of its lease; on loss the holder finds out when it unlocks, and must roll back. */
export const driver = withWatchdog(single, "check-at-unlock");
