import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, ownedKey, type Protocol } from "../parts/protocol.ts";

/**
 * Sends the TTL in whole seconds instead of milliseconds: the lease is up to a second shorter than its holder thinks.
 */
const wholeSeconds = {
  ...ownedKey,
  async acquire(server, { key, owner, ttlMs }) {
    const seconds = Math.max(1, Math.floor(ttlMs / 1_000));
    return map(await server.command("SET", key, owner, "EX", seconds, "NX"), (reply) => ({ granted: reply === "OK" }));
  },
} satisfies Protocol;

export const ttlInSeconds = specimen(plainLease, {
  name: "ttl-in-seconds",
  flaw: "sends whole seconds instead of the requested milliseconds",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "units" },
  load: fromParts({ protocol: wholeSeconds }),
});
