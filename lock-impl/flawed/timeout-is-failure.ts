import { endlessHold, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, type Protocol } from "../parts/protocol.ts";

/**
 * Takes a time-out as proof that nothing was set, and undoes nothing. Without an expiry on the key, a lock whose reply
 * was lost is never freed.
 */
const certainOfFailure = {
  async acquire(server, { key, owner }) {
    const set = await server.command("SETNX", key, owner);
    if (set.type === "info") return { type: "fail", kind: "error", reason: set.reason };
    return map(set, (reply) => ({ granted: reply === 1 }));
  },
  async release(server, { key, owner }) {
    const held = await server.command("GET", key);
    if (held.type !== "ok" || held.value !== owner) return map(held, () => false);
    return map(await server.command("DEL", key), (deleted) => deleted === 1);
  },
} satisfies Protocol;

export const timeoutIsFailure = specimen(endlessHold, {
  name: "timeout-is-failure",
  flaw: "treats a time-out as proof that no key was set; without an expiry that lock is never freed",
  shows: {
    property: "deadlock-freedom",
    under: ["stall", "partition", "latency", "pause-node", "reset", "pause-client", "kill-client"],
    cause: "never-freed",
    source: "reply-lost-acquire",
  },
  load: fromParts({ protocol: certainOfFailure, validity: () => undefined }),
});
