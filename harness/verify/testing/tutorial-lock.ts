import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { Completion, LockDriver } from "../../core/lock-driver.ts";

/** The tutorial's lock as a user's module: SET NX PX, and a DEL that deletes any owner's lock. */
export const driver: LockDriver = {
  async connect({ servers }) {
    if (servers.kind !== "single") throw new Error("it lives on one server");
    const redis = new Redis({ ...servers.address, maxRetriesPerRequest: 0 });
    redis.on("error", () => {});
    return {
      acquire: (key, { ttlMs }) =>
        attempt(async () => {
          const owner = randomUUID();
          return (await redis.set(key, owner, "PX", ttlMs, "NX")) === "OK"
            ? { type: "ok", value: { key, owner } }
            : { type: "fail", kind: "contended", reason: "held" };
        }),
      release: ({ key }) => attempt(async () => ({ type: "ok", value: { released: (await redis.del(key)) === 1 } })),
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  },
};

async function attempt<T>(operation: () => Promise<Completion<T>>): Promise<Completion<T>> {
  try {
    return await operation();
  } catch (error) {
    return { type: "info", reason: String(error) };
  }
}
