import type { Worker } from "node:worker_threads";

const AGAIN_MS = 100;

/**
 * Ends a thread, whatever it does, and resolves when it has ended. A thread that is just telling Node of a rejected promise
 * misses the request, and a lock that retries in a loop does little else: so it is asked until it has ended.
 */
export async function endThread(worker: Worker): Promise<void> {
  // Each request waits for the end with a listener of its own.
  worker.setMaxListeners(0);
  const again = setInterval(() => void worker.terminate(), AGAIN_MS);
  try {
    await worker.terminate();
  } finally {
    clearInterval(again);
  }
}
