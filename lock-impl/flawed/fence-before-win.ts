import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { map, ownedKey, type Protocol, type Taking } from "../protocol.ts";
import { siblingKey } from "../keys.ts";

/** Mints the fencing token before it has won: whoever draws first and wins second holds the lower one. */
const drawFirst = {
  ...ownedKey,
  async take(server, acquisition) {
    const drawn = await server.command("INCR", siblingKey(acquisition.key, "fence"));
    if (drawn.type !== "ok") return map(drawn, (): Taking => ({ taken: false }));
    const taking = await ownedKey.take(server, acquisition);
    return map(taking, ({ taken }): Taking => (taken ? { taken, fence: Number(drawn.value) } : { taken }));
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: drawFirst, patience: BOUNDLESS_PATIENCE });
