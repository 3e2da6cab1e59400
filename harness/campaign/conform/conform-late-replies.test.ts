import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import type { Completion, LockClient, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import type { Conformity } from "./conformity.ts";
import { driverWith } from "./testing/right-drivers.ts";

const TIMEOUT_MS = 1000;

/** A client that reads the next reply, whatever command it answers: after a time-out each reply is that of the command before. */
class Shifted {
  readonly #redis: Redis;
  readonly #unread: Promise<unknown>[] = [];

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async call(command: string, ...words: readonly (string | number)[]): Promise<unknown> {
    this.#unread.push(this.#redis.call(command, ...words));
    const late = Symbol("late");
    const reply = await Promise.race([
      this.#unread[0],
      new Promise((resolve) => setTimeout(() => resolve(late), TIMEOUT_MS)),
    ]);
    if (reply === late) throw new Error("no reply in time");
    void this.#unread.shift();
    return reply;
  }
}

type Acquire = (redis: Shifted, key: string, owner: string, ttlMs: number) => Promise<boolean>;

const bySet: Acquire = async (redis, key, owner, ttlMs) =>
  (await redis.call("SET", key, owner, "PX", ttlMs, "NX")) === "OK";

const byGetAndSet: Acquire = async (redis, key, owner, ttlMs) =>
  (await redis.call("GET", key)) === null && (await bySet(redis, key, owner, ttlMs));

function shiftedDriver(acquire: Acquire): LockDriver {
  return {
    connect: async ({ servers }) => {
      if (servers.kind !== "single") throw new Error("one server, please");
      const redis = new Redis({ ...servers.address, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false });
      redis.on("error", () => {});
      const shifted = new Shifted(redis);
      const known = async <T>(work: () => Promise<Completion<T>>): Promise<Completion<T>> =>
        work().catch((error: unknown) => ({ type: "info", reason: String(error) }));
      const client: LockClient = {
        acquire: (key, { ttlMs }) =>
          known(async () => {
            const owner = randomUUID();
            const validFromMs = performance.now();
            if (!(await acquire(shifted, key, owner, ttlMs)))
              return { type: "fail", kind: "contended", reason: "held" };
            return { type: "ok", value: { key, owner, validForMs: ttlMs, validFromMs } };
          }),
        release: ({ key }) =>
          known(async () => ({ type: "ok", value: { released: (await shifted.call("DEL", key)) === 1 } })),
        [Symbol.asyncDispose]: async () => redis.disconnect(),
      };
      return client;
    },
  };
}

async function lateRepliesOf(driver: LockDriver): Promise<Conformity | undefined> {
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return checks.find(({ name }) => name === "late-replies");
}

test("a client that takes the late reply of one command for that of the next is granted what is held", async () => {
  const found = await lateRepliesOf(shiftedDriver(bySet));
  expect(found).toMatchObject({ outcome: "mistake" });
  expect(found?.details).toEqual([
    expect.stringMatching(/^after .* came late, a client was granted a lock that is held: /),
  ]);
});

test("or is refused what it was granted", async () => {
  const found = await lateRepliesOf(shiftedDriver(byGetAndSet));
  expect(found).toMatchObject({ outcome: "mistake" });
  expect(found?.details).toEqual([
    expect.stringMatching(/^after .* answered contended \(held\), and the servers hold it: /),
  ]);
});

test("a client that gives each reply to its own command has no mistake", async () => {
  expect(await lateRepliesOf(driverWith(() => ({})))).toMatchObject({ outcome: "passed" });
});

test("a client that waits for ever for a reply cannot be tried", async () => {
  const patient = driverWith((redis, right) => {
    // The time-out of commands is that of the right driver.
    redis.options.commandTimeout = undefined as never;
    return right;
  });
  expect(await lateRepliesOf(patient)).toMatchObject({
    outcome: "skipped",
    details: [
      "no answer from the driver within 10,000 ms to an acquire whose reply is late: set a shorter time-out for commands",
    ],
  });
});

test("a lock that ends the leases of others by the ttlMs of who asks did not take one reply for another", async () => {
  const takeByAge = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3] - ARGV[2])
    if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
    return redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])`;
  const byAge = driverWith((redis, right) => ({
    async acquire(key, { ttlMs }) {
      const owner = randomUUID();
      try {
        const taken = await redis.eval(takeByAge, 1, key, owner, ttlMs, Date.now());
        if (taken === 1) return { type: "ok", value: { key, owner } };
      } catch (error) {
        return { type: "info", reason: String(error) };
      }
      // A library that waits for ever, given up later: the lease of the other client is older than a short one by the next try.
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return { type: "info", reason: "not granted in time" };
    },
    async release(grant) {
      await redis.zrem(grant.key, grant.owner);
      return right.release(grant);
    },
  }));
  expect(await lateRepliesOf(byAge)).toMatchObject({ outcome: "passed" });
});

test(
  "a lock that takes its key on another server after a time-out did not take one reply for another",
  { tags: "long" },
  async () => {
    const topology = topologySchema.parse({ kind: "redlock" });
    const { checks } = await conformDriver({ lock: "consistent-hash", topology, seed: 5 });
    expect(checks.find(({ name }) => name === "late-replies")?.outcome).not.toBe("mistake");
  },
);
