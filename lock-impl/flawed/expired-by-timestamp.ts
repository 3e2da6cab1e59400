import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { isOne, map, type Protocol, type Taking } from "../protocol.ts";

/**
 * The value carries the time of expiry, and whoever finds it past deletes the lock and takes it: two that both found it
 * past delete each other's (redis.io, SETNX, "Handling deadlocks").
 */
const selfDated = {
  async take(server, { key, owner, ttlMs }) {
    const set = await server.command("SETNX", key, `${Date.now() + ttlMs}:${owner}`);
    if (set.type !== "ok" || set.value === 1) return map(set, (): Taking => ({ taken: true }));
    const held = await server.command("GET", key);
    if (held.type !== "ok" || Number(String(held.value).split(":")[0]) > Date.now()) {
      return map(held, (): Taking => ({ taken: false }));
    }
    await server.command("DEL", key);
    const again = await server.command("SETNX", key, `${Date.now() + ttlMs}:${owner}`);
    return map(again, (reply) => ({ taken: reply === 1 }));
  },
  async free(server, { key }) {
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: selfDated, patience: BOUNDLESS_PATIENCE });
