import type { LockEntry } from "../lock-entry.ts";
import { leased } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { ownedKey } from "../parts/protocol.ts";

/** SET NX PX with a random owner value for each acquisition; compare-and-delete, compare-and-pexpire. */
export const single: LockEntry = {
  ...leased,
  name: "single",
  title: "SET NX PX with a new owner value for each acquire, compare-and-delete in Lua",
  load: fromParts({ protocol: ownedKey }),
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "none" },
    fixedBy: "watchdog",
    how: "A renewed lease lasts as long as the work, and a holder that cannot renew is notified in time.",
  },
};
