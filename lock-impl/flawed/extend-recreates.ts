import { composeLock } from "../compose.ts";
import { map, ownedKey, type Protocol } from "../protocol.ts";

/** Extending a lock that is gone makes it again and reports success, whoever held it in between. */
export const recreatingKey = {
  ...ownedKey,
  async prolong(server, { key, owner, ttlMs }) {
    const kept = await ownedKey.prolong(server, { key, owner, ttlMs, inner: false });
    if (kept.type !== "ok" || kept.value) return kept;
    return map(await server.command("SET", key, owner, "PX", ttlMs, "NX"), (reply) => reply === "OK");
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: recreatingKey });
