import { renewedLimits } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leased } from "../lock-kinds.ts";
import { withWatchdog } from "../parts/renewing/watchdog.ts";
import { single } from "./single.ts";

/** `single`, renewed every third of its lease; on loss the holder finds out when it unlocks, and must roll back. */
export const watchdogCheckAtUnlock: LockEntry = {
  ...leased,
  name: "watchdog-check-at-unlock",
  title: "single, renewed every third of its lease; the holder learns of a lost lease when it unlocks",
  load: async () => withWatchdog(await single.load(), "check-at-unlock"),
  renews: true,
  limits: [
    {
      property: "mutual-exclusion",
      topology: "single",
      under: "partition",
      cause: "overrun",
      source: "watchdog-silent",
    },
    ...renewedLimits(leased.limits),
  ],
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "partition" },
    fixedBy: "watchdog",
    how: "The holder is notified while its lease still lasts, not at the unlock.",
  },
};
