import type { LockEntry } from "../lock-entry.ts";
import { leasedInTurn } from "../lock-kinds.ts";
import { fromQueue } from "../parts/queue/from-queue.ts";
import { ticketQueue } from "../parts/queue/queue-protocol.ts";

/** First come, first served: waiters have tickets, and only the first of them may take the key. */
export const fair: LockEntry = {
  ...leasedInTurn,
  name: "fair",
  title: "first come, first served: a queue of tickets, kept for waiters that ask again; one step in Lua decides",
  load: fromQueue(ticketQueue),
  supports: { fair: true },
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
    fixedBy: "watchdog",
    how: "A queue does not prolong a lease: hold for less than the lease, or extend it in time.",
  },
};
