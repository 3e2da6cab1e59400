import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { isOne, map, ownedKey, type Protocol } from "../protocol.ts";

/** GET, then DEL: between the two the lock can expire and be another's. */
const compareThenDelete = {
  ...ownedKey,
  async free(server, { key, owner }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== owner) return map(held, () => false);
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: compareThenDelete, patience: BOUNDLESS_PATIENCE });
