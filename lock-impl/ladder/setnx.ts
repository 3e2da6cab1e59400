import { bareKeyClaims } from "../claim-tables.ts";
import type { LockEntry } from "../lock-entry.ts";
import { leased } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { isOne, map, type Protocol } from "../parts/protocol.ts";

/** SETNX and DEL, no expiry: a client that dies while it holds keeps the lock for ever. */
const bareKey = {
  async acquire(server, { key, owner }) {
    return map(await server.command("SETNX", key, owner), (reply) => ({ granted: reply === 1 }));
  },
  async release(server, { key }) {
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const setnx: LockEntry = {
  ...leased,
  name: "setnx",
  title: "SETNX and DEL, no expiry",
  topologies: ["single"],
  load: fromParts({
    protocol: bareKey,
    // There is no lease to report.
    validity: () => undefined,
    // A DEL without a comparison could free another client's lock.
    undoOn: () => [],
  }),
  flawed: true,
  flaw: "when a holder dies, no client ever gets the lock again",
  claims: bareKeyClaims("single"),
  limits: [
    {
      property: "deadlock-freedom",
      topology: "single",
      under: "kill-client",
      cause: "never-freed",
      source: "redis.io, SETNX",
    },
  ],
  lesson: {
    shows: { property: "deadlock-freedom", topology: "single", under: "kill-client" },
    fixedBy: "setnx-expire",
    how: "An expiry frees the lock after its holder dies.",
  },
};
