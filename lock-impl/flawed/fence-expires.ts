import { composeLock } from "../compose.ts";
import { siblingKey } from "../keys.ts";
import { fencedKey, type Protocol } from "../protocol.ts";

/** The fence counter has an expiry, like everything else in the cache: after a quiet while tokens start at 1 again. */
const expiringCounter = {
  ...fencedKey,
  async take(server, acquisition) {
    const taking = await fencedKey.take(server, acquisition);
    if (taking.type === "ok" && taking.value.taken) {
      await server.command("PEXPIRE", siblingKey(acquisition.key, "fence"), acquisition.ttlMs);
    }
    return taking;
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: expiringCounter });
