import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { map, ownedKey, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";

/** Checks that the lock is free, then sets it: two clients can both have seen it free. */
const lookThenSet = {
  ...ownedKey,
  async acquire(server, { key, owner, ttlMs }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== null) return map(held, (): AcquireAnswer => ({ granted: false }));
    return map(await server.command("SET", key, owner, "PX", ttlMs), (reply) => ({ granted: reply === "OK" }));
  },
} satisfies Protocol;

export const getThenSet = specimen(plainLease, {
  name: "get-then-set",
  flaw: "checks whether the lock is free, then sets it: two clients can both see it free",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "check-then-act" },
  load: fromParts({ protocol: lookThenSet, timeouts: LONG_TIMEOUTS }),
});
