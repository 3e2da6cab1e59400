import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import type { Conformity } from "./conformity.ts";
import { driverWith } from "./testing/right-drivers.ts";

async function checksOf(driver: LockDriver): Promise<Readonly<Record<string, Conformity>>> {
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

const mistakes = (checks: Readonly<Record<string, Conformity>>): readonly string[] =>
  Object.values(checks).flatMap(({ outcome, details }) => (outcome === "mistake" ? details : []));

/** A key without an expiry. */
const bareKey = (): LockDriver =>
  driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type !== "ok") return answer;
      await redis.persist(key);
      return { type: "ok", value: { key, owner: answer.value.owner } };
    },
    extend: async () => ({ type: "fail", kind: "error", reason: "it has no leases" }),
  }));

const withoutLeases = (driver: LockDriver): LockDriver => ({ ...driver, leases: false });

test("a lock without leases has no mistake if its driver says so, and is told how to say it if not", async () => {
  const declared = await checksOf(
    withoutLeases({
      connect: async (environment) => {
        const client = await bareKey().connect(environment);
        delete client.extend;
        return client;
      },
    }),
  );
  expect(mistakes(declared)).toEqual([]);
  expect(declared["expiry"]).toMatchObject({ outcome: "passed", asks: expect.stringMatching(/until it is released/) });
  expect(declared["validity"]?.outcome).toBe("skipped");
  expect((await checksOf(bareKey()))["expiry"]?.details[0]).toMatch(
    /still held: if .* a driver says leases: false \(a worker file: "leases": false\)$/,
  );
});

test("a lock with leases may not be called one without", async () => {
  const { expiry } = await checksOf(withoutLeases(driverWith(() => ({}))));
  expect(expiry?.outcome).toBe("mistake");
  expect(expiry?.details[0]).toMatch(/take leases: false out of the driver, or of the worker file$/);
});

/** Whoever asks measures the lease of the holder by its own. */
const measured: LockDriver = driverWith((redis, right) => ({
  acquire: async (key, { ttlMs, waitMs, ...options }) => {
    const owner = randomUUID();
    const take =
      "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000); local since = redis.call('HGET', KEYS[2], 'since'); if redis.call('EXISTS', KEYS[1]) == 1 and now < since + ARGV[2] then return 0 end redis.call('HSET', KEYS[2], 'since', now); redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]); return 1";
    const until = performance.now() + waitMs;
    for (;;) {
      try {
        const taken = await redis.eval(take, 2, key, `${key}:since`, owner, ttlMs);
        if (taken === 1) return { type: "ok", value: { key, owner } };
      } catch (error) {
        return { type: "info", reason: String(error) };
      }
      if (options.signal.aborted || performance.now() >= until)
        return { type: "fail", kind: "contended", reason: "held" };
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  },
  release: (grant) => right.release(grant),
}));

/** Keeps, for each key, the shortest lease that this client asked for. */
function shortestLease(states = false): LockDriver {
  return driverWith((_, right) => {
    const shortest = new Map<string, number>();
    return {
      acquire: async (key, options) => {
        const ttlMs = Math.min(shortest.get(key) ?? Infinity, options.ttlMs);
        shortest.set(key, ttlMs);
        const answer = await right.acquire(key, { ...options, ttlMs });
        return answer.type === "ok" && !states ? { type: "ok", value: { key, owner: answer.value.owner } } : answer;
      },
    };
  });
}

test("leases of a key that others or earlier acquires decide are found", async () => {
  const { expiry: byOthers } = await checksOf(measured);
  expect(byOthers?.details).toHaveLength(1);
  expect(byOthers?.details[0]).toMatch(
    /^2,000 ms after a client was granted the lock with ttlMs 4500, another one was that asked with ttlMs 500: /,
  );
  expect((await checksOf(shortestLease()))["expiry"]?.details[0]).toMatch(
    /^after an acquire with ttlMs 1000, the lock was granted with ttlMs 4500, and 3,000 ms later to another client: /,
  );
});

test("a driver whose library has a lease of its own, and states it, makes no mistake", async () => {
  expect((await checksOf(shortestLease(true)))["expiry"]?.outcome).toBe("passed");
});

test("a client that is slow to send its first request does not hold a lease longer", async () => {
  const cold = driverWith((_, right) => {
    let isCold = true;
    return {
      acquire: async (key, options) => {
        if (isCold) await new Promise((resolve) => setTimeout(resolve, 2500));
        isCold = false;
        return right.acquire(key, options);
      },
    };
  });
  expect((await checksOf(cold))["expiry"]).toMatchObject({ outcome: "passed", details: [] });
});

/** States what is left of the lease when the answer comes, as far as `least` milliseconds. */
const whatIsLeft = (least: number): LockDriver =>
  driverWith((_, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type !== "ok") return answer;
      const { validForMs = 0, validFromMs = 0, owner } = answer.value;
      const leftMs = Math.max(least, validForMs - (performance.now() - validFromMs));
      return { type: "ok", value: { key, owner, validForMs: leftMs } };
    },
  }));

test("who states that a grant was over when it arrived is told what hunts make of it", async () => {
  const late = async (driver: LockDriver) => (await checksOf(driver))["late-grant"];
  expect(await late(driverWith(() => ({})))).toMatchObject({ outcome: "passed", details: [] });
  expect(await late(whatIsLeft(1))).toMatchObject({ outcome: "passed", details: [] });
  const { outcome, details } = (await late(whatIsLeft(-Infinity))) ?? {};
  expect(outcome).toBe("remark");
  expect(details?.[0]).toMatch(
    /validForMs of -5\d(\.\d+)? ms, so a hunt accuses the lock of an expired grant: .*validFromMs/,
  );
  expect((await late({ ...bareKey(), leases: false }))?.outcome).toBe("skipped");
});
