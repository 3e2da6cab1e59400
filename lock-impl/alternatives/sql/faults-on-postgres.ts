import type { FaultClass } from "../../../faults/registry.ts";
import { DISK_LOSS } from "../../claims.ts";

// Kinds of faults, by what they do to the sessions of a lock in PostgreSQL.

/** Faults that leave the sessions on the server as they are: the server only hears nothing, or hears late. */
export const SILENCE: readonly FaultClass[] = ["pause-client", "partition", "latency", "stall", "pause-node"];
/** Faults that end sessions. */
export const ENDS: readonly FaultClass[] = ["kill-client", "reset"];
export const CRASH: readonly FaultClass[] = ["kill-node", "restart-node"];
export const ALL: readonly FaultClass[] = [...SILENCE, ...ENDS, ...CRASH, "power-loss", DISK_LOSS, "clock-jump"];
