import { withWatchdog } from "../watchdog.ts";
import { driver as single } from "./single.ts";

/** `single`, renewed every third of its lease; on loss the holder is told before the lease ends. */
export const driver = withWatchdog(single, "conservative");
