import { endlessPermits, specimen } from "./specimen.ts";
import { byConnection } from "../parts/by-connection.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, type Protocol } from "../parts/protocol.ts";

/** How many permits each owner has, where it is more than one. */
const takenBy = byConnection<number>();

/** Counts holders with INCRBY and DECRBY. Nobody gives back what a client had that died. */
const counter = {
  async acquire(server, { key, owner, sharing: { limit = 1, permits = 1 } = {} }) {
    if (permits > 1) takenBy(server).set(owner, permits);
    const count = await server.command("INCRBY", key, permits);
    if (count.type !== "ok") return count;
    if (Number(count.value) <= limit) return { type: "ok", value: { granted: true } };
    return map(await server.command("DECRBY", key, permits), () => ({ granted: false }));
  },
  async release(server, { key, owner }) {
    const permits = takenBy(server).get(owner) ?? 1;
    takenBy(server).delete(owner);
    return map(await server.command("DECRBY", key, permits), () => true);
  },
} satisfies Protocol;

export const semaphoreCounter = specimen(endlessPermits, {
  name: "semaphore-counter",
  flaw: "a semaphore is a counter: the permits of a client that dies are never given back",
  shows: { property: "deadlock-freedom", under: ["kill-client"], cause: "never-freed", source: "INCR and DECR" },
  load: fromParts({ protocol: counter, supports: { permits: true }, validity: () => undefined }),
});
