import { composeLock } from "../compose.ts";
import { isOne, map, type Protocol } from "../protocol.ts";

/** SETNX and DEL, no expiry: whoever holds when it dies holds for ever. */
const bareKey = {
  async take(server, { key, owner }) {
    return map(await server.command("SETNX", key, owner), (reply) => ({ taken: reply === 1 }));
  },
  async free(server, { key }) {
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const driver = composeLock({
  protocol: bareKey,
  // There is no lease to report.
  validity: () => undefined,
  // A DEL without a comparison could free somebody else's lock.
  undoOn: () => [],
});
