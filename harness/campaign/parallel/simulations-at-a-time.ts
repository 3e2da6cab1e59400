import { THREAD_BYTES } from "./memory-of-threads.ts";
import { usableCores } from "./usable-cores.ts";

/**
 * How many threads simulate by default: one for each core, as far as the memory that this process may still take goes
 * (in a container, that of its control group). At least 1.
 */
export function simulationsAtATime(cores = usableCores(), availableBytes = process.availableMemory()): number {
  return Math.max(1, Math.min(cores, Math.floor(availableBytes / THREAD_BYTES)));
}
