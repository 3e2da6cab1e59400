import type { Worker } from "node:worker_threads";

/** What a thread that simulates may take, with a library of a user's, before another takes its place: half a gigabyte. */
export const THREAD_BYTES = 512 * 1024 ** 2;

/**
 * Whether a thread has taken more memory than its share. It keeps the code of each library that it ran, and V8 collects late:
 * over all libraries of a table a thread grows to more than a gigabyte. False for a thread that has ended.
 */
export async function isBeyondItsShare(worker: Worker): Promise<boolean> {
  try {
    const { total_heap_size, external_memory } = await worker.getHeapStatistics();
    return total_heap_size + external_memory > THREAD_BYTES;
  } catch {
    // Whoever waits for the thread is told how it ended.
    return false;
  }
}
