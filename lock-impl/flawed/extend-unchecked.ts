import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { isOne, map, ownedKey, type Protocol } from "../parts/protocol.ts";

/** Extends by PEXPIRE without checking the owner: it extends the next holder's lease and takes it for its own. */
const unchecked = {
  ...ownedKey,
  async extend(server, { key, ttlMs }) {
    return map(await server.command("PEXPIRE", key, ttlMs), isOne);
  },
} satisfies Protocol;

export const extendUnchecked = specimen(plainLease, {
  name: "extend-unchecked",
  flaw: "extends with PEXPIRE without checking the owner",
  shows: { property: "owner-release", under: ["none"], cause: "foreign-release", source: "extend-get-then-pexpire" },
  load: fromParts({ protocol: unchecked }),
});
