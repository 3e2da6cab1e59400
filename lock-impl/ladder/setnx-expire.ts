import type { LockEntry } from "../lock-entry.ts";
import { leased, limitsOn } from "../lock-kinds.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { map, ownedKey, type Protocol } from "../parts/protocol.ts";

/** SETNX, then EXPIRE: a client that dies between the two leaves a lock that never expires. */
const twoSteps = {
  ...ownedKey,
  async acquire(server, { key, owner, ttlMs }) {
    const set = await server.command("SETNX", key, owner);
    if (set.type !== "ok" || set.value !== 1) return map(set, () => ({ granted: false as const }));
    return map(await server.command("PEXPIRE", key, ttlMs), () => ({ granted: true as const }));
  },
} satisfies Protocol;

export const setnxExpire: LockEntry = {
  ...leased,
  name: "setnx-expire",
  title: "SETNX, then EXPIRE",
  load: fromParts({ protocol: twoSteps, timeouts: LONG_TIMEOUTS }),
  flawed: true,
  flaw: "a client that dies between SETNX and EXPIRE leaves a lock that never expires",
  limits: [
    ...limitsOn(leased.topologies, {
      property: "deadlock-freedom",
      under: "kill-client",
      cause: "never-freed",
      source: "setnx-expire-crash",
    }),
    ...leased.limits,
  ],
  lesson: {
    shows: { property: "deadlock-freedom", topology: "single", under: "kill-client" },
    fixedBy: "set-px",
    how: "SET NX PX takes the lock and sets its expiry in one step.",
  },
};
