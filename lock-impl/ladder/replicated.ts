import type { LockEntry } from "../lock-entry.ts";
import { fencedLease } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { fencedKey } from "../parts/protocol.ts";
import { withReplicas } from "../parts/replication.ts";

/** `fenced`, granted only when one of two replicas has it too: a majority of the three. */
export const replicated: LockEntry = {
  ...fencedLease,
  name: "replicated",
  title: "fenced, granted only when WAIT confirms that a majority of the servers has the grant",
  topologies: ["sentinel"],
  load: fromParts({ protocol: withReplicas(fencedKey, { replicas: 1, withinMs: 150 }) }),
  claims: fencedLease.claims.filter(({ topology }) => topology === "sentinel"),
  limits: fencedLease.limits.filter(({ topology }) => topology === "sentinel"),
  lesson: {
    shows: { property: "lease-exclusion", topology: "sentinel", under: "partition" },
    fixedBy: "redlock",
    how: "There is no single master: a majority of independent servers grants the lock.",
  },
};
