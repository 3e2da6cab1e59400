import { usableCores } from "./usable-cores.ts";

/** What a thread that simulates takes at most, with a library of a user's: half a gigabyte. */
const THREAD_BYTES = 512 * 1024 ** 2;

/**
 * How many threads simulate by default: one for each core, as far as the memory that this process may still take goes
 * (in a container, that of its control group). At least 1.
 */
export function simulationsAtATime(cores = usableCores(), availableBytes = process.availableMemory()): number {
  return Math.max(1, Math.min(cores, Math.floor(availableBytes / THREAD_BYTES)));
}
