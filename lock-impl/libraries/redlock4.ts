import type Redlock from "redlock4";
import type { Lock } from "redlock4";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByRedlock } from "../lock-kinds.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { RedlockClient, type RedlockCalls } from "./redlock-client.ts";

/** The npm package `redlock`, 4.2.0, with its defaults. */
export const redlock4: LockEntry = {
  ...leasedByRedlock,
  name: "redlock4",
  title: "npm redlock 4.2.0",
  npmPackage: "redlock4@npm:redlock@4.2.0",
  documented:
    "Exclusive use of a resource for a limited time, by the Redlock algorithm: on one server, or on several of which a minority may fail. It does not tell who holds a lock.",
  async load() {
    const [{ Redis }, { default: Library }] = await Promise.all([import("ioredis"), import("redlock4")]);
    return {
      async connect({ servers }) {
        const clients = await connectLibraryClients(servers, (options) => new Redis(options));
        return new RedlockClient(
          clients,
          callsOf((retryCount) => new Library(clients, { retryCount })),
        );
      },
    };
  },
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "restart-node" },
    fixedBy: "redlock-fsync",
    how: "The library does what the recipe says. Servers that sync each write to disk restart with every lock that they granted.",
  },
};

/** Each acquisition has a Redlock of its own, whose events tell of its own requests only. */
function callsOf(redlockOf: (retryCount: number) => Redlock): RedlockCalls<Lock> {
  return {
    acquire([key], ttlMs, retryCount) {
      const redlock = redlockOf(retryCount);
      let clientFailed = false;
      redlock.on("clientError", () => {
        clientFailed = true;
      });
      return { lock: redlock.lock(key, ttlMs), clientFailed: () => clientFailed };
    },
    release: (lock) => lock.unlock(),
  };
}
