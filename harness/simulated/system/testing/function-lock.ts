import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Completion, LockDriver, LockEnvironment } from "../../../core/lock-driver.ts";

/** A lock whose steps are functions of the server. */
const LIBRARY = `#!lua name=lock
local function is_held(key, owner) return redis.call('GET', key) == owner end
redis.register_function('lock_acquire', function(keys, args)
  return redis.call('SET', keys[1], args[1], 'PX', args[2], 'NX')
end)
redis.register_function('lock_release', function(keys, args)
  if is_held(keys[1], args[1]) then return redis.call('DEL', keys[1]) end
  return 0
end)
redis.register_function{function_name = 'lock_holds', flags = {'no-writes'}, callback = function(keys, args)
  return is_held(keys[1], args[1])
end}`;
const RETRY_AFTER_MS = 20;

/** Loads the library when it connects, and locks with FCALL. */
export const driver: LockDriver = {
  async connect({ servers }) {
    const redis = new Redis({
      ...addressOf(servers),
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 1000,
    });
    redis.on("error", () => {});
    const loaded = redis.function("LOAD", "REPLACE", LIBRARY).catch(() => {});
    return {
      acquire: (key, { ttlMs, waitMs, signal }) =>
        known(async () => {
          await loaded;
          const giveUpAt = performance.now() + waitMs;
          for (;;) {
            const owner = randomUUID();
            const sentAt = performance.now();
            if ((await redis.fcall("lock_acquire", 1, key, owner, ttlMs)) === "OK") {
              return { type: "ok", value: { key, owner, validForMs: ttlMs, validFromMs: sentAt } };
            }
            if (performance.now() >= giveUpAt || signal.aborted) {
              return { type: "fail", kind: "contended", reason: "another client holds the lock" };
            }
            await sleep(RETRY_AFTER_MS);
          }
        }),
      release: ({ key, owner }) =>
        known(async () => {
          const held = (await redis.fcall_ro("lock_holds", 1, key, owner)) === 1;
          const released = (await redis.fcall("lock_release", 1, key, owner)) === 1;
          return { type: "ok", value: { released: held && released } };
        }),
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  },
};

/** After an error nobody knows what the server did. */
async function known<T>(operation: () => Promise<Completion<T>>): Promise<Completion<T>> {
  try {
    return await operation();
  } catch (error) {
    return { type: "info", reason: String(error) };
  }
}

function addressOf(servers: LockEnvironment["servers"]) {
  if (servers.kind === "single") return { ...servers.address };
  if (servers.kind !== "sentinel") throw new Error("this driver knows one server, or one behind Sentinels");
  const { sentinels, masterName, natMap } = servers;
  return { sentinels: [...sentinels], name: masterName, natMap: { ...natMap }, updateSentinels: false };
}
