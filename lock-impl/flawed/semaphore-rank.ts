import { semaphoreOfLeases, specimen } from "./specimen.ts";
import { LONG_TIMEOUTS } from "../parts/connection-options.ts";
import { fromParts } from "../parts/from-parts.ts";
import { map, type Protocol } from "../parts/protocol.ts";

/**
 * A holder is a member of a sorted set, its score the client's own clock, and holds if its rank is below the limit
 * ("Redis in Action", 6.3.1, which names this flaw). A client whose clock is behind comes before those that hold.
 */
const rankedByClients = {
  async acquire(server, { key, owner, ttlMs, sharing: { limit = 1, permits = 1 } = {} }) {
    const nowMs = Date.now();
    await server.command("ZREMRANGEBYSCORE", key, "-inf", nowMs - ttlMs);
    const mine = Array.from({ length: permits }, (_, index) => `${owner}:${index}`);
    const added = await server.command("ZADD", key, ...mine.flatMap((member) => [nowMs, member]));
    if (added.type !== "ok") return added;
    const ranks = await Promise.all(mine.map((member) => server.command("ZRANK", key, member)));
    const missing = ranks.find(({ type }) => type !== "ok");
    if (missing !== undefined && missing.type !== "ok") return missing;
    const granted = ranks.every((rank) => rank.type === "ok" && rank.value !== null && Number(rank.value) < limit);
    if (granted) return { type: "ok", value: { granted } };
    return map(await server.command("ZREM", key, ...mine), () => ({ granted }));
  },
  async release(server, { key, owner }) {
    const members = Array.from({ length: MOST_PERMITS }, (_, index) => `${owner}:${index}`);
    return map(await server.command("ZREM", key, ...members), (removed) => Number(removed) > 0);
  },
} satisfies Protocol;

const MOST_PERMITS = 16;

export const semaphoreRank = specimen(semaphoreOfLeases, {
  name: "semaphore-rank",
  flaw: "a semaphore ranks its holders by the clocks of the clients: one that is behind comes before those that hold",
  shows: {
    property: "lease-exclusion",
    under: ["none"],
    cause: "double-grant",
    source: "Redis in Action, 6.3.1",
  },
  load: fromParts({ protocol: rankedByClients, supports: { permits: true }, timeouts: LONG_TIMEOUTS }),
});
