import type { LockEntry } from "../lock-entry.ts";
import { leasedTogether } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { severalKeysAtOnce } from "../parts/several-keys.ts";

/** Several keys in one acquisition: all of them or none, each with the lease. */
export const severalKeys: LockEntry = {
  ...leasedTogether,
  name: "several-keys",
  title: "several keys in one acquisition: one step in Lua takes all of them or none, and one gives them back",
  load: fromParts({ protocol: severalKeysAtOnce, supports: { severalKeys: true } }),
  supports: { severalKeys: true },
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "pause-client" },
    fixedBy: "watchdog",
    how: "Several keys have one lease: hold for less than that, or extend it in time.",
  },
};
