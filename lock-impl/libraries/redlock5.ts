import type { Redis } from "ioredis";
import type * as Library from "redlock5";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByRedlock, limitsOn } from "../lock-kinds.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { lateExtensions } from "./late-extensions.ts";
import { RedlockClient, type RedlockCalls } from "./redlock-client.ts";

/** The npm package `redlock`, 5.0.0-beta.2, with its defaults. */
export const redlock5: LockEntry = {
  ...leasedByRedlock,
  name: "redlock5",
  title: "npm redlock 5.0.0-beta.2",
  npmPackage: "redlock5@npm:redlock@5.0.0-beta.2",
  documented:
    "Exclusive use of one or several resources for a limited time, by the Redlock algorithm: on one server, or on several of which a minority may fail. It does not tell who holds a lock.",
  async load() {
    const [{ Redis }, library] = await Promise.all([import("ioredis"), import("redlock5")]);
    return {
      async connect({ servers }) {
        const clients = await connectLibraryClients(servers, (options) => new Redis(options));
        return new RedlockClient(clients, callsOf(library, clients));
      },
    };
  },
  limits: [
    ...limitsOn(leasedByRedlock.topologies, {
      property: "lease-exclusion",
      under: "none",
      cause: "expired-grant",
      source: "mike-marcacci/node-redlock#296 and #299: the lease's clock starts before the retries; bad-elapsed-check",
    }),
    ...lateExtensions,
    {
      property: "deadlock-freedom",
      topology: "redlock",
      under: "none",
      cause: "never-freed",
      source: "its acquire frees the votes of a failed try only after the last retry: they count against the next try",
    },
    ...leasedByRedlock.limits,
  ],
  lesson: {
    shows: { property: "lease-exclusion", topology: "redlock", under: "none" },
    fixedBy: "redlock",
    how: "The lease of each try counts from the sending of that try, and a lease that is over is not granted.",
  },
};

function callsOf(
  { default: Implementation, ResourceLockedError }: typeof Library,
  clients: readonly Redis[],
): RedlockCalls<Library.Lock> {
  const redlock = new Implementation(clients);
  let clientFailed = false;
  redlock.on("error", (error) => {
    if (!(error instanceof ResourceLockedError)) clientFailed = true;
  });
  return {
    acquire(keys, ttlMs, retryCount) {
      clientFailed = false;
      return { lock: redlock.acquire([...keys], ttlMs, { retryCount }), clientFailed: () => clientFailed };
    },
    release: (lock) => lock.release(),
  };
}
