import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { Grant, LockClient, LockDriver } from "../../../harness/core/lock-driver.ts";
import { installed } from "./installed.ts";

/** Ends the task; its callback tells how many keys were deleted, and nothing if the library deleted none. */
type Done = (answer: (error: Error | null, deleted?: number) => void) => void;
type Lock = (name: string, timeoutMs: number, task: (done: Done) => void) => void;

/** `redis-lock` 0.0 and 0.1, which wait for ever. Their keys hold the end of the lease, and no owner. */
export function redisLock(version: string): LockDriver {
  return {
    async connect({ servers }) {
      if (servers.kind !== "single") throw new Error("this driver knows one server");
      const redis = new Redis({ ...servers.address });
      redis.on("error", () => {});
      const library = installed(`redis-lock-${version}`, "redis-lock") as (client: Redis) => Lock;
      return clientOf(redis, library(redis));
    },
  };
}

function clientOf(redis: Redis, lock: Lock): LockClient {
  const held = new Map<string, Done>();
  return {
    async acquire(key, { ttlMs, waitMs }) {
      const validFromMs = performance.now();
      const { promise: granted, resolve } = Promise.withResolvers<Done>();
      const { promise: gaveUp, resolve: giveUp } = Promise.withResolvers<undefined>();
      lock(key, ttlMs, resolve);
      const timer = setTimeout(() => giveUp(undefined), Math.max(waitMs, MIN_WAIT_MS));
      const done = await Promise.race([granted, gaveUp]);
      clearTimeout(timer);
      if (done === undefined) {
        void granted.then((late) => late(() => {}));
        return { type: "info", reason: "it goes on trying" };
      }
      const owner = randomUUID();
      held.set(owner, done);
      return { type: "ok", value: { key, owner, validForMs: ttlMs, validFromMs } };
    },
    async release({ key, owner }: Grant) {
      const done = held.get(owner);
      if (done === undefined) throw new Error(`${key} is not held as ${owner}`);
      held.delete(owner);
      const { promise: released, resolve: answer, reject } = Promise.withResolvers<boolean>();
      done((error, deleted) => (error instanceof Error ? reject(error) : answer(deleted === 1)));
      try {
        return { type: "ok", value: { released: await released } };
      } catch (error) {
        return { type: "info", reason: String(error) };
      }
    },
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  };
}

/** Time for one try. */
const MIN_WAIT_MS = 200;
