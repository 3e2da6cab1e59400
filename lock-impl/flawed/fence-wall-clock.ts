import { composeLock } from "../compose.ts";
import { map, ownedKey, type Protocol, type Taking } from "../protocol.ts";

/** The winner's wall clock as fencing token: two clients' clocks are two counters, and each can be stepped back. */
const timestamped = {
  ...ownedKey,
  async take(server, acquisition) {
    const taking = await ownedKey.take(server, acquisition);
    return map(taking, ({ taken }): Taking => (taken ? { taken, fence: Date.now() } : { taken }));
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: timestamped });
