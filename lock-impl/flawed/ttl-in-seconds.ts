import { composeLock } from "../compose.ts";
import { map, ownedKey, type Protocol } from "../protocol.ts";

/** Sends whole seconds where milliseconds were asked for: the lease is up to a second shorter than its holder thinks. */
const wholeSeconds = {
  ...ownedKey,
  async take(server, { key, owner, ttlMs }) {
    const seconds = Math.max(1, Math.floor(ttlMs / 1_000));
    return map(await server.command("SET", key, owner, "EX", seconds, "NX"), (reply) => ({ taken: reply === "OK" }));
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: wholeSeconds });
