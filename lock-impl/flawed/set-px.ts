import { composeLock } from "../compose.ts";
import { isOne, map, ownedKey, type Protocol } from "../protocol.ts";

/** SET NX PX, but a plain DEL: a holder whose lease has ended deletes the lock of the next. */
export const plainDelete = {
  ...ownedKey,
  async free(server, { key }) {
    return map(await server.command("DEL", key), isOne);
  },
} satisfies Protocol;

export const driver = composeLock({ protocol: plainDelete });
