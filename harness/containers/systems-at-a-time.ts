import { availableParallelism, freemem } from "node:os";

/** Systems mostly wait, for leases, faults and answers, so that each core has several. */
const SYSTEMS_PER_CORE = 2;
/** What one system of the largest topology takes with its clients, and as much again in reserve. */
const SYSTEM_BYTES = 800 * 1024 ** 2;

/** How many systems of servers this machine can run at a time, by its cores and its free memory. At least 1. */
export function systemsAtATime(cores = availableParallelism(), freeBytes = freemem()): number {
  return Math.max(1, Math.min(cores * SYSTEMS_PER_CORE, Math.floor(freeBytes / SYSTEM_BYTES)));
}
