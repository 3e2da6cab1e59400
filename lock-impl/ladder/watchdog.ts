import { renewedLimits, soundRenewal } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leased } from "../lock-kinds.ts";
import { withWatchdog } from "../parts/renewing/watchdog.ts";
import { single } from "./single.ts";

/** `single`, renewed every third of its lease; on loss the holder is told before the lease ends. */
export const watchdog: LockEntry = {
  ...leased,
  name: "watchdog",
  title: "single, renewed every third of its lease; the holder is notified when it loses the lease",
  load: async () => withWatchdog(await single.load(), "conservative"),
  renews: true,
  claims: [...leased.claims, ...soundRenewal()],
  limits: renewedLimits(leased.limits),
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
    fixedBy: "fenced",
    how: "A client that does not run cannot be notified. The resource can reject its late write.",
  },
};
