import type { LockEntry } from "../lock-entry.ts";
import { leased } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { countedHash, generations } from "../parts/reentry.ts";

/** A holder may enter again; the lock is free when it has left as often as it entered. */
export const reentrant: LockEntry = {
  ...leased,
  name: "reentrant",
  title: "a hash that counts the owner's entries; each outermost hold has its own generation",
  load: fromParts({ protocol: countedHash, ownHolds: generations }),
  reentrant: true,
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
    fixedBy: "fenced",
    how: "The resource rejects the late write of a holder that was paused past the end of its lease.",
  },
};
