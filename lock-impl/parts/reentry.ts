import { randomUUID } from "node:crypto";
import type { OwnHolds } from "./own-holds.ts";
import { isOne, map, type Protocol, type AcquireAnswer } from "./protocol.ts";
import { loadScript } from "./scripts.ts";

const acquireScript = loadScript("acquire-reentrant");
const releaseScript = loadScript("release-reentrant");
const extendScript = loadScript("extend-reentrant");

/** A hash with one field, the owner, that counts its entries. */
export const countedHash = {
  async acquire(server, { key, owner, ttlMs, inner }) {
    const reply = await server.run(acquireScript, [key], owner, ttlMs, inner ? "inner" : "outer");
    return map(reply, (remaining): AcquireAnswer => ({ granted: remaining === null }));
  },
  async release(server, { key, owner }) {
    // 0: one entry less, still held. 1: free. Either way it was the owner's.
    return map(await server.run(releaseScript, [key], owner), (reply) => reply !== null);
  },
  async extend(server, { key, owner, ttlMs, atLeast }) {
    return map(await server.run(extendScript, [key], owner, ttlMs, ...(atLeast ? ["at-least"] : [])), isOne);
  },
} satisfies Protocol;

/**
 * The holds of a client that may enter again. The owner is `<client>:<generation>`, where Redisson has
 * `<client>:<thread>`: each outermost hold is a new generation, so no inner entry, release or renewal can count for a
 * later hold.
 */
export function generations(): OwnHolds {
  const client = randomUUID();
  const live = new Map<string, { readonly owner: string; depth: number }>();
  let generation = 0;
  const of = (key: string, owner: string) => {
    const hold = live.get(key);
    return hold?.owner === owner ? hold : undefined;
  };
  return {
    next(key) {
      const hold = live.get(key);
      if (hold !== undefined) return { owner: hold.owner, inner: true };
      generation += 1;
      return { owner: `${client}:${generation}`, inner: false };
    },
    entered(key, owner) {
      const hold = of(key, owner);
      if (hold === undefined) live.set(key, { owner, depth: 1 });
      else hold.depth += 1;
    },
    left(key, owner) {
      const hold = of(key, owner);
      if (hold === undefined) return;
      hold.depth -= 1;
      if (hold.depth === 0) live.delete(key);
    },
    lost(key, owner) {
      if (of(key, owner) !== undefined) live.delete(key);
    },
  };
}
