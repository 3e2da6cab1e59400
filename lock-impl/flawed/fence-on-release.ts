import { composeLock } from "../compose.ts";
import { siblingKey } from "../keys.ts";
import { map, ownedKey, type Protocol, type Taking } from "../protocol.ts";

/** Counts up when it unlocks: a hold that expires leaves its fencing token to the next. */
const countedAtUnlock = {
  ...ownedKey,
  async take(server, acquisition) {
    const taking = await ownedKey.take(server, acquisition);
    if (taking.type !== "ok" || !taking.value.taken) return taking;
    const count = await server.command("GET", siblingKey(acquisition.key, "fence"));
    return map(count, (value): Taking => ({ taken: true, fence: Number(value ?? 0) + 1 }));
  },
  async free(server, { key, owner }) {
    const freed = await ownedKey.free(server, { key, owner });
    if (freed.type === "ok" && freed.value) await server.command("INCR", siblingKey(key, "fence"));
    return freed;
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: countedAtUnlock });
