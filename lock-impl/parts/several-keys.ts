import type { Completion } from "../../harness/core/lock-driver.ts";
import { type AcquireRequest, isOne, map, type Protocol } from "./protocol.ts";
import { loadScript } from "./scripts.ts";

const acquireScript = loadScript("acquire-several");
const releaseScript = loadScript("release-several");
const extendScript = loadScript("extend-several");

/** Several keys in one acquisition, on one server: each operation is one step that concerns all of them. */
export const severalKeysAtOnce = {
  async acquire(server, request) {
    const { owner, ttlMs } = request;
    return map(await server.run(acquireScript, keysOf(request), owner, ttlMs), (reply) => ({ granted: isOne(reply) }));
  },
  async release(server, request) {
    const keys = keysOf(request);
    return ofAll(await server.run(releaseScript, keys, request.owner), keys.length);
  },
  async extend(server, request) {
    const { owner, ttlMs, atLeast } = request;
    return map(await server.run(extendScript, keysOf(request), owner, ttlMs, ...(atLeast ? ["at-least"] : [])), isOne);
  },
} satisfies Protocol;

/** All keys of a request. */
export function keysOf({ key, sharing }: Pick<AcquireRequest, "key" | "sharing">): string[] {
  return [key, ...(sharing?.alsoKeys ?? [])];
}

/** What a release of several keys did, from how many it deleted. */
function ofAll(deleted: Completion<unknown>, keys: number): Completion<boolean> {
  if (deleted.type !== "ok") return deleted;
  const count = Number(deleted.value);
  if (count > 0 && count < keys)
    return { type: "info", reason: `only ${count} of ${keys} keys were still this owner's` };
  return { type: "ok", value: count > 0 };
}
