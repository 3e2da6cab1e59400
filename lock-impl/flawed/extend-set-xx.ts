import { composeLock } from "../compose.ts";
import { map, ownedKey, type Protocol } from "../protocol.ts";

/** Extends by SET XX PX: if another holds by now, its lock is overwritten. */
const overwriting = {
  ...ownedKey,
  async prolong(server, { key, owner, ttlMs }) {
    return map(await server.command("SET", key, owner, "PX", ttlMs, "XX"), (reply) => reply === "OK");
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: overwriting });
