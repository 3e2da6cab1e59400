import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { isOne, map, ownedKey, type Protocol } from "../protocol.ts";

/** GET, then PEXPIRE: between the two the lock can expire and be another's. */
const compareThenExtend = {
  ...ownedKey,
  async prolong(server, { key, owner, ttlMs }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== owner) return map(held, () => false);
    return map(await server.command("PEXPIRE", key, ttlMs), isOne);
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: compareThenExtend, patience: BOUNDLESS_PATIENCE });
