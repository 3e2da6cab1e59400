import type { Protocol } from "./protocol.ts";
import { isOne, map } from "./protocol.ts";
import { loadScript } from "./scripts.ts";

const acquirePermitsScript = loadScript("acquire-permits");
const acquireModeScript = loadScript("acquire-mode");
const releaseScript = loadScript("release-shared");
const extendScript = loadScript("extend-shared");

/** What semaphores and read-write locks share: a lease for each holder, in a sorted set, by the server's clock. */
const sharedLeases = {
  async release(server, { key, owner }) {
    return map(await server.run(releaseScript, [key], owner), isOne);
  },
  async extend(server, { key, owner, ttlMs, atLeast }) {
    return map(await server.run(extendScript, [key], owner, ttlMs, ...(atLeast ? ["at-least"] : [])), isOne);
  },
} satisfies Partial<Protocol>;

/** A counting semaphore. Each permit has a lease of its own; one step counts those in force and takes more. */
export const countedPermits = {
  ...sharedLeases,
  async acquire(server, { key, owner, ttlMs, sharing: { permits = 1, limit = 1 } = {} }) {
    const reply = await server.run(acquirePermitsScript, [key], owner, ttlMs, permits, limit);
    return map(reply, (taken) => ({ granted: isOne(taken) }));
  },
} satisfies Protocol;

/** A read-write lock: readers beside readers, a writer alone. */
export const readersAndWriter = {
  ...sharedLeases,
  async acquire(server, { key, owner, ttlMs, sharing: { mode = "exclusive" } = {} }) {
    const reply = await server.run(acquireModeScript, [key], owner, ttlMs, mode);
    return map(reply, (taken) => ({ granted: isOne(taken) }));
  },
} satisfies Protocol;
