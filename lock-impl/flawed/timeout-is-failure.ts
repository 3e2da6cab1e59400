import { composeLock } from "../compose.ts";
import { map, type Protocol } from "../protocol.ts";

/**
 * Takes a time-out for proof that nothing was set, and undoes nothing. Without an expiry on the key, a lock whose reply
 * was lost is never freed.
 */
const certainOfFailure = {
  async take(server, { key, owner }) {
    const set = await server.command("SETNX", key, owner);
    if (set.type === "info") return { type: "fail", kind: "error", reason: set.reason };
    return map(set, (reply) => ({ taken: reply === 1 }));
  },
  async free(server, { key, owner }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== owner) return map(held, () => false);
    return map(await server.command("DEL", key), (deleted) => deleted === 1);
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: certainOfFailure, validity: () => undefined });
