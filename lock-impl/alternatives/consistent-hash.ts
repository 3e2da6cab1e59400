import { reroutedLease, reroutedLimits } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByQuorum } from "../lock-kinds.ts";

/**
 * A client that cannot reach a server takes it off its own ring for a second and moves that server's keys to the next
 * one, as proxies and clients of caches do (twemproxy: `auto_eject_hosts`, `server_retry_timeout`). This is right for a
 * cache and wrong for a lock: a client that cannot reach a server does not know that others hold locks there.
 */
export const consistentHash: LockEntry = {
  ...leasedByQuorum,
  name: "consistent-hash",
  title:
    "single, on the one of N masters that a consistent-hash ring selects, or on the next one when that is unreachable",
  load: async () => (await import("./routed-lock.ts")).routedLock({ awayMs: 1_000 }),
  claims: reroutedLease(),
  limits: reroutedLimits(),
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "partition" },
    fixedBy: "consistent-hash-strict",
    how: "The key never moves: a client that cannot reach its server does not get the lock.",
  },
};
