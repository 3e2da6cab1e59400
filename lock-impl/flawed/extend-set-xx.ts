import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, ownedKey, type Protocol } from "../parts/protocol.ts";

/** Extends by SET XX PX: if another client holds the lock by now, its lock is overwritten. */
const overwriting = {
  ...ownedKey,
  async extend(server, { key, owner, ttlMs }) {
    return map(await server.command("SET", key, owner, "PX", ttlMs, "XX"), (reply) => reply === "OK");
  },
} satisfies Protocol;

export const extendSetXx = specimen(plainLease, {
  name: "extend-set-xx",
  flaw: "extends with SET XX PX and so overwrites the next holder's lock",
  shows: { property: "owner-release", under: ["none"], cause: "foreign-release", source: "renew-set-xx" },
  load: fromParts({ protocol: overwriting }),
});
