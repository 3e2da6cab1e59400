import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { isOne, map, ownedKey, type Protocol } from "../parts/protocol.ts";

/** GET, then PEXPIRE: between the two the lock can expire and pass to another client. */
const compareThenExtend = {
  ...ownedKey,
  async extend(server, { key, owner, ttlMs }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== owner) return map(held, () => false);
    return map(await server.command("PEXPIRE", key, ttlMs), isOne);
  },
} satisfies Protocol;

export const extendGetThenPexpire = specimen(plainLease, {
  name: "extend-get-then-pexpire",
  flaw: "between GET and PEXPIRE another client can get the lock, whose lease is then extended",
  shows: {
    property: "linearizability",
    under: ["latency", "stall", "partition"],
    cause: "double-grant",
    source: "extend-get-then-pexpire",
  },
  load: fromParts({ protocol: compareThenExtend, timeouts: LONG_TIMEOUTS }),
});
