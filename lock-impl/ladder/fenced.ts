import type { LockEntry } from "../lock-entry.ts";
import { fencedLease } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { fencedKey } from "../parts/protocol.ts";

/** `single`, with a fencing token from a counter that is incremented in the script that takes the lock. */
export const fenced: LockEntry = {
  ...fencedLease,
  name: "fenced",
  title: "single, with a fencing token issued in the acquire script",
  load: fromParts({ protocol: fencedKey }),
  lesson: {
    shows: { property: "fencing-tokens", topology: "sentinel", under: "failover" },
    fixedBy: "replicated",
    how: "A grant counts only when replicas have it, with its fencing token. This narrows the gap but does not close it.",
  },
};
