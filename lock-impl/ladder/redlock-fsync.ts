import { leaseLimits } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByQuorum } from "../lock-kinds.ts";
import { redlock } from "./redlock.ts";

/**
 * Redlock on masters that sync each write before they acknowledge it (appendonly yes, appendfsync always), the first of
 * the two mitigations that redis.io proposes against restarts. The client is the same; only the servers differ.
 */
export const redlockFsync: LockEntry = {
  ...leasedByQuorum,
  name: "redlock-fsync",
  title: "redlock, on servers that sync each write to disk before they acknowledge it",
  persistence: "always",
  load: redlock.load,
  limits: leaseLimits("redlock").filter(({ cause, under }) => cause !== "lost-in-restart" || under === "disk-loss"),
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "disk-loss" },
    fixedBy: "redlock-delayed-restart",
    how: "A server that lost its disk takes part again only after all leases that it may have granted are over.",
  },
};
