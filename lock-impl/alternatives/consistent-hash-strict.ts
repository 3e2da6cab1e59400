import { routedLock } from "./routed-lock.ts";

/** A key is never taken to another server: while its home cannot be reached, nobody gets its lock. */
export const driver = routedLock({});
