import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { LockClient, LockDriver, Renewed } from "../../../core/lock-driver.ts";

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const EXTEND =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
const BETWEEN_TRIES_MS = 25;

type Parts = Partial<LockClient> & Record<never, never>;

/** A right driver of a lock on one server, with parts of its client replaced. */
export function driverWith(replace: (redis: Redis, right: LockClient) => Parts, quiet = true): LockDriver {
  return {
    connect: async ({ servers }) => {
      if (servers.kind !== "single") throw new Error("one server, please");
      const redis = new Redis({
        ...servers.address,
        maxRetriesPerRequest: 0,
        commandTimeout: 1000,
        autoResendUnfulfilledCommands: false,
      });
      if (quiet) redis.on("error", () => {});
      const right = clientOn(redis);
      return { ...right, ...replace(redis, right) };
    },
  };
}

function clientOn(redis: Redis): LockClient {
  const unless = async <T>(work: () => Promise<T>): Promise<T | { type: "info"; reason: string }> =>
    work().catch((error: unknown) => ({ type: "info", reason: String(error) }));
  return {
    acquire: (key, { ttlMs, waitMs }) =>
      unless(async () => {
        const until = performance.now() + waitMs;
        for (;;) {
          const owner = randomUUID();
          const validFromMs = performance.now();
          const reply = await redis.set(key, owner, "PX", ttlMs, "NX");
          if (reply === "OK") return { type: "ok", value: { key, owner, validForMs: ttlMs, validFromMs } };
          if (performance.now() >= until) return { type: "fail", kind: "contended", reason: "held" };
          await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
        }
      }),
    extend: (grant, ttlMs) =>
      unless(async () => {
        const validFromMs = performance.now();
        if ((await redis.eval(EXTEND, 1, grant.key, grant.owner, ttlMs)) === 1) {
          return { type: "ok", value: { ...grant, validForMs: ttlMs, validFromMs } };
        }
        return { type: "fail", kind: "contended", reason: "gone" };
      }),
    release: ({ key, owner }) =>
      unless(async () => ({ type: "ok", value: { released: (await redis.eval(RELEASE, 1, key, owner)) === 1 } })),
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  };
}

/** A driver that renews its lease every quarter of it, and says so as `tell` puts it. */
export function renewing(tell: (renewed: Renewed) => Renewed): LockDriver {
  return driverWith((_, right) => {
    let listener: (renewed: Renewed) => void = () => {};
    let timer: NodeJS.Timeout | undefined;
    return {
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        if (answer.type !== "ok") return answer;
        timer = setInterval(() => {
          void right.extend!(answer.value, options.ttlMs).then((extended) => {
            if (extended.type === "ok") listener(tell({ validForMs: options.ttlMs, ...extended.value }));
          });
        }, options.ttlMs / 4);
        return answer;
      },
      release: (grant) => {
        clearInterval(timer);
        return right.release(grant);
      },
      onRenewed: (told) => (listener = told),
      [Symbol.asyncDispose]: async () => {
        clearInterval(timer);
        await right[Symbol.asyncDispose]();
      },
    };
  });
}
