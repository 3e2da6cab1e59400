import type { LockEntry } from "../lock-entry.ts";
import { leasedOnOneServer } from "../lock-kinds.ts";
import type { LockDriver } from "../../harness/core/lock-driver.ts";
import { ownersFrom } from "../parts/own-holds.ts";
import { freshOwnerValue } from "../parts/owner-value.ts";
import { ownedKey } from "../parts/protocol.ts";

/**
 * One owner value per client, over a pool of two connections: the client's next acquisition overtakes a delayed
 * release, which then deletes the new hold.
 */
async function load(): Promise<LockDriver> {
  const { composeLock } = await import("../parts/compose.ts");
  return {
    async connect(environment) {
      const owner = freshOwnerValue();
      const pooled = composeLock({ protocol: ownedKey, ownHolds: () => ownersFrom(() => owner) });
      const [taking, freeing] = await Promise.all([pooled.connect(environment), pooled.connect(environment)]);
      return {
        acquire: (key, options) => taking.acquire(key, options),
        release: (grant) => freeing.release(grant),
        async [Symbol.asyncDispose]() {
          await Promise.all([taking[Symbol.asyncDispose](), freeing[Symbol.asyncDispose]()]);
        },
      };
    },
  };
}

export const ownerValueFixed: LockEntry = {
  ...leasedOnOneServer,
  name: "owner-value-fixed",
  title: "single, with one owner value per client",
  load,
  flawed: true,
  flaw: "a release that arrives late deletes the client's next hold",
  limits: [
    {
      property: "lease-exclusion",
      topology: "single",
      under: "latency",
      cause: "foreign-release",
      source: "owner-value-reuse",
    },
    ...leasedOnOneServer.limits,
  ],
  lesson: {
    shows: { property: "lease-exclusion", topology: "single", under: "latency" },
    fixedBy: "single",
    how: "Each acquire has its own owner value, so no late command can affect a later hold.",
  },
};
