import { composeLock } from "../compose.ts";
import { BOUNDLESS_PATIENCE } from "../connection-options.ts";
import { siblingKey } from "../keys.ts";
import { fencedKey, map, type Protocol, type Taking } from "../protocol.ts";

/** Mints in the acquire script, but reads the token afterwards: by then it can be the next holder's. */
const readLater = {
  ...fencedKey,
  async take(server, acquisition) {
    const taking = await fencedKey.take(server, acquisition);
    if (taking.type !== "ok" || !taking.value.taken) return taking;
    const read = await server.command("GET", siblingKey(acquisition.key, "fence"));
    return map(read, (fence): Taking => ({ taken: true, fence: Number(fence) }));
  },
} satisfies Protocol;

export const driver = composeLock({
  protocol: readLater,
  patience: BOUNDLESS_PATIENCE,
  // Like many, it says nothing of validity, and so never notices how long it took.
  validity: () => undefined,
});
