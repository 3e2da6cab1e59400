import { Redis } from "ioredis";
import type { LockDriver } from "../../../core/lock-driver.ts";
import counting from "./counting-library/index.js";

/** How many clients this module has seen: one, unless it is shared. */
let clients = 0;

/** Takes the lock over one connection for all clients of its process, and names owners by what its library keeps. */
export const driver: LockDriver = {
  async connect({ servers }) {
    clients += 1;
    if (servers.kind !== "single") throw new Error("for a single server");
    const { address } = servers;
    const redis = counting.connection(() => new Redis(address)) as Redis;
    return {
      async acquire(key, { ttlMs }) {
        const owner = `${clients}-${counting.next()}-${counting.pool}`;
        const reply = await redis.set(key, owner, "PX", ttlMs, "NX");
        return reply === "OK"
          ? { type: "ok", value: { key, owner } }
          : { type: "fail", kind: "contended", reason: "held by another" };
      },
      release: async ({ key }) => ({ type: "ok", value: { released: (await redis.del(key)) === 1 } }),
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  },
};
