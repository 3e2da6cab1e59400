import type { LockEntry } from "../lock-entry.ts";
import { leasedByQuorum } from "../lock-kinds.ts";

/** A key never moves to another server: while its home cannot be reached, nobody gets its lock. */
export const consistentHashStrict: LockEntry = {
  ...leasedByQuorum,
  name: "consistent-hash-strict",
  title: "single, on the one of N masters that a consistent-hash ring selects, and on no other",
  load: async () => (await import("./routed-lock.ts")).routedLock({}),
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
    fixedBy: "redlock-fsync",
    how: "A majority of servers grants the lock, so no single server is needed, and each server syncs the grant to disk.",
  },
};
