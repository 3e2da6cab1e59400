import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { map, ownedKey, type Protocol, type Taking } from "../protocol.ts";

/** Looks whether the lock is free, then sets it: two clients can both have seen it free. */
const lookThenSet = {
  ...ownedKey,
  async take(server, { key, owner, ttlMs }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== null) return map(held, (): Taking => ({ taken: false }));
    return map(await server.command("SET", key, owner, "PX", ttlMs), (reply) => ({ taken: reply === "OK" }));
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: lookThenSet, patience: BOUNDLESS_PATIENCE });
