import type { LockEntry } from "../lock-entry.ts";
import { leasedByQuorum } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/** Redlock as redis.io specifies it. */
export const redlock: LockEntry = {
  ...leasedByQuorum,
  name: "redlock",
  title: "Redlock on N masters, as redis.io specifies it",
  load: fromParts(redlockParts),
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
    fixedBy: "redlock-fsync",
    how: "Servers that sync each write to disk restart with every lock that they granted.",
  },
};
