import type { LockEntry } from "../lock-entry.ts";
import { leased } from "../lock-kinds.ts";
import { connectLibraryClients } from "./library-clients.ts";

/**
 * The job lock of the npm package `bullmq`, 6.7.0: only one worker processes a job at a time. The worker fetches its jobs
 * by hand, so the lock is not renewed unless it is asked to be.
 */
export const bullmq: LockEntry = {
  ...leased,
  name: "bullmq",
  title: "npm bullmq 6.7.0, the lock of a job that a worker fetches by hand",
  npmPackage: "bullmq@6.7.0",
  documented:
    "No worker fetches a job that another one processes, for as long as the job is locked. A job that stays locked by nobody is stalled, and is processed again: at least once, at times more than once.",
  async load() {
    const [{ Redis }, library, { BullmqClient }] = await Promise.all([
      import("ioredis"),
      import("bullmq"),
      import("./bullmq-client.ts"),
    ]);
    return {
      async connect({ servers }) {
        const [redis] = await connectLibraryClients(
          servers,
          (options) => new Redis({ ...options, maxRetriesPerRequest: null }), // the library demands it of workers
        );
        if (redis === undefined) throw new Error("a queue needs a server");
        return new BullmqClient(redis, library);
      },
    };
  },
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "none" },
    fixedBy: "watchdog",
    how: "Extend the lock in time, and stop when that fails: the worker has its own deadline.",
  },
};
