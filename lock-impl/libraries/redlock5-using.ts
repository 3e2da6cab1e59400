import type { LockEntry } from "../lock-entry.ts";
import { limitsOn } from "../lock-kinds.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { redlock5 } from "./redlock5.ts";
import { RedlockUsingClient } from "./redlock-using-client.ts";

/** `using` of the npm package `redlock`, 5.0.0-beta.2: it renews its lease, and tells by an AbortSignal that it failed. */
export const redlock5Using: LockEntry = {
  ...redlock5,
  name: "redlock5-using",
  title: "npm redlock 5.0.0-beta.2, using: renewed 500 ms before its end, the loss told by a signal",
  documented:
    "As redlock 5; while the routine runs, the lock is extended by itself, and when that fails, a signal tells the routine to stop.",
  async load() {
    const [{ Redis }, library] = await Promise.all([import("ioredis"), import("redlock5")]);
    return {
      async connect({ servers }) {
        const clients = await connectLibraryClients(servers, (options) => new Redis(options));
        return new RedlockUsingClient(clients, library);
      },
    };
  },
  renews: true,
  limits: [
    ...limitsOn(["single"], {
      property: "mutual-exclusion",
      under: "partition",
      cause: "overrun",
      source: "using() aborts only when an extension has failed, and waits for one without a deadline; watchdog-silent",
    }),
    // A renewed hold can outlast one lease.
    ...redlock5.limits.filter(({ property, under }) => property !== "mutual-exclusion" || under !== "none"),
  ],
  lesson: {
    shows: { property: "mutual-exclusion", topology: "single", under: "partition" },
    fixedBy: "watchdog",
    how: "The holder has its own deadline: partitioned from the server, it is notified before its lease ends.",
  },
};
