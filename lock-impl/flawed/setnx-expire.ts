import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { map, ownedKey, type Protocol } from "../protocol.ts";

/** SETNX, then EXPIRE: a client that dies between the two leaves a lock that never expires. */
const twoSteps = {
  ...ownedKey,
  async take(server, { key, owner, ttlMs }) {
    const set = await server.command("SETNX", key, owner);
    if (set.type !== "ok" || set.value !== 1) return map(set, () => ({ taken: false as const }));
    return map(await server.command("PEXPIRE", key, ttlMs), () => ({ taken: true as const }));
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: twoSteps, patience: BOUNDLESS_PATIENCE });
