import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import type { LockClient, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

/** What conform says of the statements of leases. */
async function validityOf(driver: LockDriver) {
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const { outcome, details } = checks.find(({ name }) => name === "validity")!;
  return { outcome, details };
}

/** One try of a lock, and what it states of its lease. */
type Try = (redis: Redis, key: string, owner: string, ttlMs: number) => Promise<{ isOurs: boolean; stated?: object }>;

function trying(once: Try, release?: (redis: Redis) => LockClient["release"]): LockDriver {
  return driverWith((redis) => ({
    acquire: async (key, { ttlMs, waitMs, signal }) => {
      const until = performance.now() + waitMs;
      for (;;) {
        const owner = randomUUID();
        const answer = await once(redis, key, owner, ttlMs).catch(String);
        if (typeof answer === "string") return { type: "info", reason: answer };
        if (answer.isOurs) return { type: "ok", value: { key, owner, ...answer.stated } };
        if (performance.now() >= until || signal.aborted) return { type: "fail", kind: "contended", reason: "held" };
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
    ...(release === undefined ? {} : { release: release(redis) }),
  }));
}

const LATE = [
  expect.stringMatching(/^the lease of a grant whose request was 500 ms under way ended \d+ ms before its time from /),
];

test.for([0, 1, 2])("a lease that the client computes is found where %i requests go before", async (before) => {
  const computed = trying(async (redis, key, owner, ttlMs) => {
    for (let request = 0; request < before; request++) await redis.sadd("known", key);
    return { isOurs: (await redis.set(key, owner, "PXAT", Date.now() + ttlMs, "NX")) === "OK" };
  });
  expect(await validityOf(computed)).toMatchObject({ outcome: "mistake", details: LATE });
});

test("and also where others follow", async () => {
  const computed = trying(async (redis, key, owner, ttlMs) => {
    await redis.sadd("known", key);
    const isOurs = (await redis.set(key, owner, "PXAT", Date.now() + ttlMs, "NX")) === "OK";
    if (isOurs) await redis.incr("grants");
    return { isOurs };
  });
  expect(await validityOf(computed)).toMatchObject({ outcome: "mistake", details: LATE });
});

test("a lease that the server counts is none, whatever requests go before it and follow", async () => {
  for (const [before, after] of [
    [0, 2],
    [1, 1],
    [2, 1],
  ] as const) {
    const counted = trying(async (redis, key, owner, ttlMs) => {
      for (let request = 0; request < before; request++) await redis.sadd("known", key);
      const isOurs = (await redis.set(key, owner, "PX", ttlMs, "NX")) === "OK";
      for (let request = 0; request < (isOurs ? after : 0); request++) await redis.incr("grants");
      return { isOurs };
    });
    expect((await validityOf(counted)).outcome).toBe("remark");
  }
});

test("nor is one of the lock's own, which is shorter than it was asked for", async () => {
  const own = trying(async (redis, key, owner) => ({
    isOurs: (await redis.set(key, owner, "PX", 2000, "NX")) === "OK",
  }));
  const { details } = await validityOf(own);
  expect(details).toEqual([expect.stringMatching(/^the servers keep the lock for \d+ ms less than the 2,300 ms /)]);
});

const TAKE = `local now = redis.call('TIME') now = now[1] * 1000 + math.floor(now[2] / 1000)
local until_ = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if until_ > now then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', now + ARGV[2]) return 1`;
const GIVE = "if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** A lock whose leases no expiry shows: the server keeps until when each lasts. */
const inHash = (statesFromReply: boolean): LockDriver =>
  trying(
    async (redis, key, owner, ttlMs) => {
      const sentMs = performance.now();
      const isOurs = (await redis.eval(TAKE, 1, key, owner, ttlMs)) === 1;
      return { isOurs, stated: { validForMs: ttlMs, validFromMs: statesFromReply ? performance.now() : sentMs } };
    },
    (redis) =>
      async ({ key, owner }) => {
        const reply = await redis.eval(GIVE, 1, key, owner).catch(String);
        if (typeof reply === "string") return { type: "info", reason: reply };
        return { type: "ok", value: { released: reply === 1 } };
      },
  );

test("what is stated of a lease that no expiry shows is tried: another client asks just before its end", async () => {
  expect(await validityOf(inHash(true))).toMatchObject({
    outcome: "mistake",
    details: [
      expect.stringMatching(
        /^another client was granted the lock [12]\d ms before the end of the lease that the driver states: validity is /,
      ),
    ],
  });
  expect((await validityOf(inHash(false))).outcome).toBe("skipped");
});
