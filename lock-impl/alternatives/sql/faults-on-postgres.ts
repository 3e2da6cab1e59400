import type { FaultEffect } from "../../../harness/core/fault-traits.ts";

// What faults do to the sessions of a lock in PostgreSQL.

/** Leaves the sessions on the server as they are: the server only hears nothing, or hears late. */
export const SILENCE: readonly FaultEffect[] = [
  "pauses-client",
  "holds-messages",
  "holds-client-messages",
  "pauses-node",
];
/** Ends sessions. */
export const ENDS: readonly FaultEffect[] = ["kills-client", "resets-connections"];
export const CRASH: readonly FaultEffect[] = ["kills-node", "loses-memory"];
export const ALL: readonly FaultEffect[] = [
  ...SILENCE,
  ...ENDS,
  ...CRASH,
  "loses-unsynced",
  "loses-disk",
  "steps-clock",
  "steps-client-clock",
];
