import { composeLock } from "../compose.ts";
import { isOne, map, ownedKey, type Protocol } from "../protocol.ts";

/** Extends by PEXPIRE without looking whose lock it is: the next holder's lease is extended, and taken for one's own. */
const unchecked = {
  ...ownedKey,
  async prolong(server, { key, ttlMs }) {
    return map(await server.command("PEXPIRE", key, ttlMs), isOne);
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: unchecked });
