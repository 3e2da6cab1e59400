import { delayedRestart, leaseLimits, soundLease } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByQuorum } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { RestartDelay } from "../parts/restart-delay.ts";
import { redlockParts } from "../parts/redlock-parts.ts";

/** No lease may be longer; a server takes part once it has been up for longer than this. */
const LONGEST_LEASE_MS = 3_000;

const delay = new RestartDelay(LONGEST_LEASE_MS);

/** `redlock`, where no server takes part in the time after its start in which it may have forgotten a lease. */
export const redlockDelayedRestart: LockEntry = {
  ...leasedByQuorum,
  name: "redlock-delayed-restart",
  title: "redlock, on servers that take part only after they have been up for longer than any lease",
  load: fromParts({
    ...redlockParts,
    protocol: delay.guard(redlockParts.protocol),
    prepare: (servers) => delay.untilMajorityUsable(servers),
  }),
  claims: [...soundLease("redlock"), ...delayedRestart()],
  limits: leaseLimits("redlock").filter(({ cause }) => cause !== "lost-in-restart"),
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "clock-jump" },
    how: "No lock whose leases end by the wall clock survives this: do not step clocks, or use a lock and fencing tokens from a store with consensus.",
  },
};
