import { composeLock } from "../compose.ts";
import { noDrift } from "../lease.ts";
import { redlockParts } from "../rungs/redlock.ts";

/** Takes all clocks to run equally fast: on servers a little faster, a lease ends before its holder thinks so. */
export const driver = composeLock({ ...redlockParts, drift: noDrift });
