import type { LockEntry } from "../lock-entry.ts";
import { leased, limitsOn } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { isOne, map, ownedKey, type Protocol } from "../parts/protocol.ts";

/** GET, then DEL: between the two the lock can expire and pass to another client. */
const compareThenDelete = {
  ...ownedKey,
  async release(server, { key, owner }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== owner) return map(held, () => false);
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const getDel: LockEntry = {
  ...leased,
  name: "get-del",
  title: "SET NX PX with an owner value, released by GET and DEL",
  load: fromParts({ protocol: compareThenDelete, timeouts: LONG_TIMEOUTS }),
  flawed: true,
  flaw: "between GET and DEL another client can get the lock, which is then deleted",
  limits: [
    ...limitsOn(leased.topologies, {
      property: "linearizability",
      under: "latency",
      cause: "double-grant",
      source: "get-del-race",
    }),
    ...leased.limits,
  ],
  lesson: {
    shows: { property: "linearizability", topology: "single", under: "latency" },
    fixedBy: "single",
    how: "A script compares the owner value and deletes the key in one step.",
  },
};
