import type { LockEntry } from "../lock-entry.ts";
import { fencedLease } from "../lock-kinds.ts";
import { notifyingKey } from "../parts/notifying-key.ts";
import { releaseMessage } from "../parts/announcements.ts";

/**
 * The lock behind `reference/locks.ts`: it is fenced; a release notifies waiters, and an acquire is retried when its
 * reply was lost.
 */
export const reference: LockEntry = {
  ...fencedLease,
  name: "reference",
  title: "fenced; a release notifies waiters, and an acquire is retried when its reply was lost",
  supports: { concurrent: true },
  load: async () => {
    const [{ composeLock }, { wakeUps }] = await Promise.all([
      import("../parts/compose.ts"),
      import("../parts/wake-ups.ts"),
    ]);
    return composeLock({ protocol: notifyingKey, waiting: wakeUps(releaseMessage), supports: { concurrent: true } });
  },
  lesson: {
    shows: { property: "lease-exclusion", topology: "sentinel", under: "failover" },
    fixedBy: "replicated",
    how: "A grant counts only when replicas have it. This narrows the gap but does not close it.",
  },
};
