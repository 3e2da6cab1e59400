import type { LockEntry } from "../lock-entry.ts";
import { sharedLease } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { readersAndWriter } from "../parts/shared-leases.ts";

/** A read-write lock: readers beside readers, a writer alone, each with a lease of its own. */
export const readWrite: LockEntry = {
  ...sharedLease,
  name: "read-write",
  title: "a read-write lock: a sorted set of leases, one for each reader, which one step in Lua checks and takes",
  load: fromParts({ protocol: readersAndWriter, supports: { modes: true } }),
  supports: { modes: true },
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
    how: "No lock stops a reader that outlives its lease: what it read may change while it still reads.",
  },
};
