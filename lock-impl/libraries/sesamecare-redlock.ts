import type { Redis } from "ioredis";
import type * as Library from "@sesamecare-oss/redlock";
import type { LockEntry } from "../lock-entry.ts";
import { leasedByRedlock, limitsOn } from "../lock-kinds.ts";
import { connectLibraryClients } from "./library-clients.ts";
import { delaysAnswers, lateExtensions } from "./late-extensions.ts";
import { RedlockClient, type RedlockCalls } from "./redlock-client.ts";

/** The npm package `@sesamecare-oss/redlock`, 1.4.0, a fork of `redlock` 5, with its defaults. */
export const sesamecareRedlock: LockEntry = {
  ...leasedByRedlock,
  name: "sesamecare-redlock",
  title: "npm @sesamecare-oss/redlock 1.4.0, a fork of redlock 5",
  npmPackage: "@sesamecare-oss/redlock@1.4.0",
  supports: { concurrent: true },
  documented: "As redlock 5, from which it is forked.",
  async load() {
    const [{ Redis }, library] = await Promise.all([import("ioredis"), import("@sesamecare-oss/redlock")]);
    return {
      supports: { concurrent: true },
      async connect({ servers }) {
        const clients = await connectLibraryClients(servers, (options) => new Redis(options));
        return new RedlockClient(clients, callsOf(library, clients));
      },
    };
  },
  limits: [
    ...delaysAnswers.flatMap((under) =>
      limitsOn(leasedByRedlock.topologies, {
        property: "lease-exclusion",
        under,
        cause: "expired-grant",
        source: "it counts the lease of each try from its start, and grants a lease that is over; bad-elapsed-check",
      }),
    ),
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
    shows: { property: "lease-exclusion", topology: "single", under: "latency" },
    fixedBy: "redlock",
    how: "A lease that is over when the last reply arrives is not granted.",
  },
};

function callsOf(
  { Redlock, ResourceLockedError }: typeof Library,
  clients: readonly Redis[],
): RedlockCalls<Library.Lock> {
  const redlock = new Redlock(clients);
  let failures = 0;
  redlock.on("error", (error) => {
    if (!(error instanceof ResourceLockedError)) failures += 1;
  });
  return {
    acquire(keys, ttlMs, retryCount) {
      // Another acquisition may be under way, and nobody knows whose request failed.
      const before = failures;
      return { lock: redlock.acquire([...keys], ttlMs, { retryCount }), clientFailed: () => failures > before };
    },
    release: (lock) => lock.release(),
  };
}
