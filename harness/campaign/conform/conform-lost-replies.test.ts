import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import type { Completion, LockClient } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { mistakesOf } from "./testing/mistakes-of.ts";
import { driverWith } from "./testing/right-drivers.ts";

const TIMED_OUT = "timed out";

/** What is answered in place of `info`. With `broken`, only where it was not the driver's own time that was over. */
async function instead<T>(
  answer: Promise<Completion<T>>,
  other: Completion<T>,
  broken = false,
): Promise<Completion<T>> {
  const known = await answer;
  return known.type === "info" && !(broken && known.reason.includes(TIMED_OUT)) ? other : known;
}

const FALSE = { type: "fail", kind: "error", reason: "false" } as const;
const NULL = { type: "fail", kind: "contended", reason: "null" } as const;

test("an extension that takes a time-out for a refusal is a mistake", async () => {
  const found = await mistakesOf((right) => ({
    extend: (grant, ttlMs) => instead(right.extend!(grant, ttlMs), FALSE),
  }));
  expect(found).toEqual({
    "lost-extension":
      'extend answered error (false), and the servers hold its lock: answer { type: "info" } (a worker: "indeterminate")',
    "broken-extension": expect.stringMatching(/^extend answered error \(false\) when its connection had broken, and /),
  });
});

test("so is one that takes only a broken connection for one", async () => {
  const found = await mistakesOf((right) => ({
    extend: (grant, ttlMs) => instead(right.extend!(grant, ttlMs), FALSE, true),
  }));
  expect(Object.keys(found)).toEqual(["broken-extension"]);
});

test("so is one that says that it took effect before it knows", async () => {
  const found = await mistakesOf((right) => ({
    extend: (grant, ttlMs) => instead(right.extend!(grant, ttlMs), { type: "ok", value: grant }),
  }));
  expect(found["lost-extension"]).toContain("extend answered ok although no reply could reach the client");
});

test("one that fails because its driver has given the lock back is none", async () => {
  const found = await mistakesOf((right) => ({
    extend: async (grant, ttlMs) => {
      const answer = await right.extend!(grant, ttlMs);
      if (answer.type !== "info") return answer;
      void right.release(grant);
      return FALSE;
    },
  }));
  expect(found).toEqual({});
});

test("nor is it one where the client keeps another key, and the lease is not taken for one that the lock renews", async () => {
  const driver = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      await redis.set("alive", "1", "PX", 600_000).catch(() => {});
      return right.acquire(key, options);
    },
    extend: async (grant, ttlMs) => {
      const answer = await right.extend!(grant, ttlMs);
      if (answer.type !== "info") return answer;
      void right.release(grant);
      return FALSE;
    },
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  expect(checks.filter(({ outcome }) => outcome === "mistake")).toEqual([]);
  expect(checks.find(({ name }) => name === "no-answer")?.details).toEqual([
    "this lock does not renew its leases by itself",
  ]);
});

test("nor is one of a holder that was told that it has lost the lock", async () => {
  const found = await mistakesOf((right) => {
    let tell: Parameters<NonNullable<LockClient["onLost"]>>[0] = () => {};
    return {
      onLost: (listener) => (tell = listener),
      extend: async (grant, ttlMs) => {
        const answer = await right.extend!(grant, ttlMs);
        if (answer.type !== "info") return answer;
        tell(grant);
        return FALSE;
      },
    };
  });
  expect(found).toEqual({});
});

test("an acquire that takes only a broken connection for a refusal is a mistake", async () => {
  const found = await mistakesOf((right) => ({
    acquire: (key, options) => instead(right.acquire(key, options), NULL, true),
  }));
  expect(found["broken-reply"]).toBe(
    'acquire answered contended (null) when its connection had broken, and the servers hold its lock: answer { type: "info" } (a worker: "indeterminate"), also where the client library sent the request again by itself',
  );
  expect(found).not.toHaveProperty("lost-reply");
});

const ENTER = `
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const LEAVE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then redis.call('DEL', KEYS[1]) end
return 1`;

test("a reentrant lock that a request sent again enters twice is not free after its release, and a driver that sends none again is", async () => {
  const reentrant = (triesAgain: boolean) => (redis: Redis) => ({
    acquire: async (key: string, { ttlMs }: { readonly ttlMs: number }) => {
      const owner = randomUUID();
      const validFromMs = performance.now();
      const ask = (): Promise<unknown> => redis.eval(ENTER, 1, key, owner, ttlMs).catch(String);
      let reply = await ask();
      if (triesAgain && typeof reply === "string" && !reply.includes(TIMED_OUT)) reply = await ask();
      if (reply === 1) return { type: "ok", value: { key, owner, validForMs: ttlMs, validFromMs } } as const;
      return reply === 0 ? NULL : ({ type: "info", reason: String(reply) } as const);
    },
    release: async ({ key, owner }: { readonly key: string; readonly owner: string }) => {
      const reply = await redis.eval(LEAVE, 1, key, owner).catch(String);
      if (typeof reply === "string") return { type: "info", reason: reply } as const;
      return { type: "ok", value: { released: reply === 1 } } as const;
    },
  });
  const topology = topologySchema.parse({ kind: "single" });
  const found = async (triesAgain: boolean): Promise<unknown> => {
    const driver = driverWith(reentrant(triesAgain));
    const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
    const { outcome, details } = checks.find(({ name }) => name === "broken-reply")!;
    return [outcome, ...details];
  };
  expect(await found(false)).toEqual(["passed"]);
  expect(await found(true)).toEqual([
    "mistake",
    "after acquire was granted although its connection had broken, release answered released: true, and the servers still hold its lock: a request that is sent again must not count as a second entry",
  ]);
});

const UNKNOWN = (error: unknown) => ({ type: "info", reason: String(error) }) as const;
const NOTHING = { type: "ok", value: { released: false } } as const;

test("a release that takes only a broken connection for a release of nothing is a mistake", async () => {
  const found = await mistakesOf((right) => ({ release: (grant) => instead(right.release(grant), NOTHING, true) }));
  expect(found).toEqual({
    "broken-release":
      'release answered released: false when its connection had broken, and the servers had freed its lock: answer { type: "info" } (a worker: "indeterminate"), also where the client library sent the request again by itself',
  });
});

test("so are an extension and a release that take it for a success", async () => {
  const extending = await mistakesOf((right) => ({
    extend: (grant, ttlMs) => instead(right.extend!(grant, ttlMs), { type: "ok", value: grant }, true),
  }));
  expect(extending).toEqual({
    "lost-request":
      'extend answered ok although its connection had broken before a server heard of it: answer { type: "info" } (a worker: "indeterminate")',
  });
  const releasing = await mistakesOf((right) => ({
    release: (grant) => instead(right.release(grant), { type: "ok", value: { released: true } }, true),
  }));
  expect(releasing).toEqual({
    "lost-request":
      'release answered released: true although its connection had broken before a server heard of it: answer { type: "info" } (a worker: "indeterminate")',
  });
});

/** Asks again where nobody knows what became of the request, as libraries do after a reconnect. */
async function again<T>(perform: () => Promise<Completion<T>>, left = 3): Promise<Completion<T>> {
  const answer = await perform();
  if (answer.type !== "info" || left === 0) return answer;
  await new Promise((resolve) => setTimeout(resolve, 500));
  return again(perform, left - 1);
}

test("not so where the library sends its request again, and so hears that it took effect", async () => {
  const found = await mistakesOf((right) => ({
    extend: (grant, ttlMs) => again(() => right.extend!(grant, ttlMs)),
    release: (grant) => again(() => right.release(grant)),
  }));
  expect(found).not.toHaveProperty("lost-request");
});

/** What conform says of the check where the client keeps another key, whose time goes on whatever becomes of the lock. */
async function lostRequestBesideAnotherKey(
  extend: (right: LockClient, redis: Redis) => NonNullable<LockClient["extend"]>,
) {
  const driver = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      await redis.set("alive", "1", "PX", 600_000).catch(() => {});
      return right.acquire(key, options);
    },
    extend: extend(right, redis),
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return checks.find(({ name }) => name === "lost-request")!.outcome;
}

test("nor is it one where the client keeps another key, which no extension touches", async () => {
  const sendingAgain = await lostRequestBesideAnotherKey(
    (right) => (grant, ttlMs) => again(() => right.extend!(grant, ttlMs)),
  );
  expect(sendingAgain).toBe("passed");
  const taking = await lostRequestBesideAnotherKey(
    (right) => (grant, ttlMs) => instead(right.extend!(grant, ttlMs), { type: "ok", value: grant }, true),
  );
  expect(taking).toBe("mistake");
  // This one keeps in a hash until when its leases last, and no key expires earlier or later for it.
  const inHash = await lostRequestBesideAnotherKey((_right, redis) => (grant, ttlMs) => {
    const write = () => redis.hset("until", grant.key, performance.now() + ttlMs);
    return again(() => write().then(() => ({ type: "ok", value: grant }) as const, UNKNOWN));
  });
  expect(inHash).toBe("passed");
});
