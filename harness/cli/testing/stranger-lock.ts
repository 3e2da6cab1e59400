import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { LockDriver } from "../../core/lock-driver.ts";

const FREE_MINE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const EXTEND_MINE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
const TAKE_FENCED =
  "if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return redis.call('INCR', KEYS[1] .. ':fence') end return 0";
const PAUSE_MS = 30;

/** The ways to write a driver for the same sound lock, all of them legitimate. */
export interface Shape {
  /** Reports how long the lease is good for. */
  readonly validity?: boolean;
  readonly fence?: boolean;
  readonly extends?: boolean;
  /** One owner value per client instead of one per acquisition. */
  readonly fixedOwner?: boolean;
  /** The behaviour of a release when the lock is gone. */
  readonly lostRelease?: "says so" | "fails" | "throws";
  /** The behaviour of a try when another client holds. */
  readonly contended?: "contended" | "error" | "throws";
  /** Resends a command whose connection broke, as ioredis does by itself. */
  readonly sendsAgain?: boolean;
  /** Tries once, however long the caller would wait. */
  readonly impatient?: boolean;
}

/** SET NX PX with a random owner value, and a delete that compares it: sound on one server, in any shape. */
export function strangerLock(shape: Shape): LockDriver {
  return {
    async connect({ servers }) {
      if (servers.kind !== "single") throw new Error("it lives on one server");
      const redis = new Redis({
        ...servers.address,
        ...(shape.sendsAgain === true ? {} : { maxRetriesPerRequest: 0 }),
      });
      redis.on("error", () => {});
      const mine = randomUUID();

      const take = async (key: string, owner: string, ttlMs: number): Promise<{ fence?: number } | undefined> => {
        if (shape.fence !== true) return (await redis.set(key, owner, "PX", ttlMs, "NX")) === "OK" ? {} : undefined;
        const fence = Number(await redis.eval(TAKE_FENCED, 1, key, owner, ttlMs));
        return fence === 0 ? undefined : { fence };
      };
      const lost = new Error("the lock is not held any more");

      return {
        async acquire(key, { ttlMs, waitMs, signal }) {
          try {
            const giveUpAt = performance.now() + (shape.impatient === true ? 0 : waitMs);
            for (;;) {
              const owner = shape.fixedOwner === true ? mine : randomUUID();
              const askedAt = performance.now();
              const taken = await take(key, owner, ttlMs);
              const validForMs = ttlMs - (performance.now() - askedAt);
              const isOver = shape.validity === true && validForMs <= 0;
              if (isOver) await redis.eval(FREE_MINE, 1, key, owner);
              else if (taken !== undefined)
                return {
                  type: "ok",
                  value: { key, owner, ...taken, ...(shape.validity === true ? { validForMs } : {}) },
                };
              if (performance.now() >= giveUpAt || signal.aborted) break;
              await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
            }
          } catch (error) {
            return { type: "info", reason: String(error) };
          }
          if (shape.contended === "throws") throw new Error("somebody else holds it");
          const kind = shape.contended === "error" ? "error" : "contended";
          return { type: "fail", kind, reason: "somebody else holds it" };
        },
        async release({ key, owner }) {
          let released: boolean;
          try {
            released = (await redis.eval(FREE_MINE, 1, key, owner)) === 1;
          } catch (error) {
            return { type: "info", reason: String(error) };
          }
          if (!released && shape.lostRelease === "throws") throw lost;
          if (!released && shape.lostRelease === "fails") return { type: "fail", kind: "error", reason: lost.message };
          return { type: "ok", value: { released } };
        },
        ...(shape.extends === true
          ? {
              async extend({ key, owner, ...grant }, ttlMs) {
                try {
                  const extended = (await redis.eval(EXTEND_MINE, 1, key, owner, ttlMs)) === 1;
                  if (!extended) return { type: "fail", kind: "error", reason: lost.message };
                  return {
                    type: "ok",
                    value: { key, owner, ...(grant.fence === undefined ? {} : { fence: grant.fence }) },
                  };
                } catch (error) {
                  return { type: "info", reason: String(error) };
                }
              },
            }
          : {}),
        [Symbol.asyncDispose]: async () => redis.disconnect(),
      } satisfies Awaited<ReturnType<LockDriver["connect"]>>;
    },
  };
}
