import type { LockEntry } from "../lock-entry.ts";
import { sharedLease } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { countedPermits } from "../parts/shared-leases.ts";

/** A counting semaphore: a sorted set of permits, each with the end of its lease by the server's clock. */
export const semaphore: LockEntry = {
  ...sharedLease,
  name: "semaphore",
  title: "a semaphore: a sorted set of permits, counted and taken in one step in Lua, with the server's clock",
  load: fromParts({ protocol: countedPermits, supports: { permits: true } }),
  supports: { permits: true },
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
    how: "No semaphore stops a holder that outlives its lease: hold for less than the lease, or extend it in time.",
  },
};
