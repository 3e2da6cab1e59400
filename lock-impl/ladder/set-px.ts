import type { LockEntry } from "../lock-entry.ts";
import { leased, limitsOn } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { isOne, map, ownedKey, type Protocol } from "../parts/protocol.ts";

/** SET NX PX, but a plain DEL: a holder whose lease has ended deletes the next holder's lock. */
export const plainDelete = {
  ...ownedKey,
  async release(server, { key }) {
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const setPx: LockEntry = {
  ...leased,
  name: "set-px",
  title: "SET NX PX, released by a plain DEL",
  load: fromParts({ protocol: plainDelete }),
  flawed: true,
  flaw: "a holder whose lease is over deletes the next holder's lock",
  limits: [
    ...limitsOn(leased.topologies, {
      property: "owner-release",
      under: "none",
      cause: "foreign-release",
      source: "plain-del",
    }),
    ...limitsOn(leased.topologies, {
      property: "lease-exclusion",
      under: "none",
      cause: "foreign-release",
      source: "plain-del",
    }),
    ...leased.limits,
  ],
  lesson: {
    shows: { property: "owner-release", topology: "single", under: "none" },
    fixedBy: "get-del",
    how: "The key stores the owner value, and a release compares it first.",
  },
};
