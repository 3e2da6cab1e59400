import { plainLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { isOne, map, type Protocol, type AcquireAnswer } from "../parts/protocol.ts";

/**
 * The value carries the time of expiry. A client that finds it in the past deletes the lock and takes it: two clients
 * that both found it expired delete each other's lock (redis.io, SETNX, "Handling deadlocks").
 */
const selfDated = {
  async acquire(server, { key, owner, ttlMs }) {
    const set = await server.command("SETNX", key, `${Date.now() + ttlMs}:${owner}`);
    if (set.type !== "ok" || set.value === 1) return map(set, (): AcquireAnswer => ({ granted: true }));
    const held = await server.command("GET", key);
    if (held.type !== "ok" || Number(String(held.value).split(":")[0]) > Date.now()) {
      return map(held, (): AcquireAnswer => ({ granted: false }));
    }
    await server.command("DEL", key);
    const again = await server.command("SETNX", key, `${Date.now() + ttlMs}:${owner}`);
    return map(again, (reply) => ({ granted: reply === 1 }));
  },
  async release(server, { key }) {
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const expiredByTimestamp = specimen(plainLease, {
  name: "expired-by-timestamp",
  flaw: "the value is the expiry time; two clients that both find it past delete each other's lock",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "setnx-timestamp-del" },
  load: fromParts({ protocol: selfDated, timeouts: LONG_TIMEOUTS }),
});
