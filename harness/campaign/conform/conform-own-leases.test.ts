import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import type { Conformity } from "./conformity.ts";
import { driverWith } from "./testing/right-drivers.ts";

/** A lock that gives everybody the same lease, and states it. */
function leaseOf(ownMs: number): LockDriver {
  return driverWith((_, right) => ({
    acquire: (key, options) => right.acquire(key, { ...options, ttlMs: ownMs }),
    extend: (grant) => right.extend!(grant, ownMs),
  }));
}

async function checksOf(driver: LockDriver): Promise<Readonly<Record<string, Conformity>>> {
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

test("a lease of its own that is stated and shorter than asked for is no mistake", async () => {
  const checks = await checksOf(leaseOf(50));
  expect(Object.values(checks).filter(({ outcome }) => outcome === "mistake")).toEqual([]);
  expect(checks["expiry"]).toMatchObject({
    outcome: "remark",
    details: [
      expect.stringMatching(/^with ttlMs 1000, another client was granted after \d+ ms: .* its own, of 50 ms$/),
    ],
  });
  // It states its lease already.
  expect(checks["giving-up"]?.details.join()).not.toMatch(/state validForMs/);
});

test.each([0.25, 1000])("a stated lease of %d times what was asked for is no lease of its own", async (times) => {
  const driver = driverWith((_, right) => ({
    acquire: (key, options) => right.acquire(key, { ...options, ttlMs: options.ttlMs * times }),
  }));
  expect((await checksOf(driver))["expiry"]).toMatchObject({
    outcome: "mistake",
    details: [expect.stringContaining("give the library ttlMs in the unit that it counts in")],
  });
});

test("a lease in another unit that is stated as it was asked for is told by what the servers keep", async () => {
  const driver = driverWith((_, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, { ...options, ttlMs: options.ttlMs * 1000 });
      return answer.type === "ok" ? { ...answer, value: { ...answer.value, validForMs: options.ttlMs } } : answer;
    },
  }));
  expect((await checksOf(driver))["expiry"]).toMatchObject({
    outcome: "mistake",
    details: [
      expect.stringMatching(
        /its lock is still held: the servers keep it for 1,000,000 ms: give the library ttlMs in the unit that it counts in$/,
      ),
    ],
  });
});

test("a try that goes on after it was refused, and then keeps the lock, is not told as a wrong unit", async () => {
  const leaving = driverWith((redis, right) => {
    let goesOn = false;
    return {
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        if (answer.type === "ok" || goesOn || key !== "k1") return answer;
        goesOn = true;
        const take = async (): Promise<unknown> => {
          if ((await redis.set(key, "left", "PX", options.ttlMs, "NX")) === null)
            return setTimeout(() => void take(), 5);
          return setInterval(() => void redis.pexpire(key, options.ttlMs).catch(() => {}), 300);
        };
        void take();
        return answer;
      },
    };
  });
  expect((await checksOf(leaving))["expiry"]).toMatchObject({
    outcome: "mistake",
    details: [
      expect.stringMatching(
        /its lock is still held, though the servers kept it for (?:999|1,000) ms: .* a try that was refused or given up goes on/,
      ),
    ],
  });
});

test("a lock that is taken for an instant by tries that go on is free in time", async () => {
  const passing = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type === "ok") return answer;
      const owner = randomUUID();
      const timer = setInterval(() => {
        void (async () => {
          if ((await redis.set(key, owner, "PX", options.ttlMs, "NX")) !== "OK") return;
          clearInterval(timer);
          await right.release({ key, owner });
        })().catch(() => {});
      }, 50);
      return answer;
    },
  }));
  expect((await checksOf(passing))["expiry"]).toMatchObject({ outcome: "passed" });
});

test("a lock that frees the key before its own stated lease is over makes a mistake", async () => {
  const early = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, { ...options, ttlMs: 600 });
      if (answer.type === "ok") await redis.pexpire(key, 300);
      return answer;
    },
  }));
  expect((await checksOf(early))["expiry"]).toMatchObject({ outcome: "mistake" });
});

test("a lease of its own that is stated and longer than the checks wait is no mistake, and has an end", async () => {
  const checks = await checksOf(leaseOf(600_000));
  expect(Object.values(checks).filter(({ outcome }) => outcome === "mistake")).toEqual([]);
  expect(checks["expiry"]).toMatchObject({
    outcome: "remark",
    details: [expect.stringMatching(/its lock is still held: its leases are its own, of 600,000 ms$/)],
  });
  expect(
    Object.values(checks)
      .flatMap(({ details }) => details)
      .join(),
  ).not.toMatch(/not end\b/);
});

test("a lease whose end the client computes before it asks is to be stated", async () => {
  const computed = (states: boolean): LockDriver =>
    driverWith((redis, right) => ({
      acquire: async (key, { ttlMs, waitMs, signal }) => {
        const until = performance.now() + waitMs;
        for (;;) {
          const owner = randomUUID();
          const stated = states ? { validForMs: ttlMs, validFromMs: performance.now() } : {};
          const reply = await redis.set(key, owner, "PXAT", Date.now() + ttlMs, "NX").catch(String);
          if (reply === "OK") return { type: "ok", value: { key, owner, ...stated } };
          if (reply !== null) return { type: "info", reason: reply };
          if (performance.now() >= until || signal.aborted) return right.acquire(key, { ttlMs, waitMs: 0, signal });
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
      },
    }));
  const found = async (states: boolean): Promise<unknown> => (await checksOf(computed(states)))["validity"];
  expect(await found(false)).toMatchObject({
    outcome: "mistake",
    details: [
      expect.stringMatching(
        /^the lease of a grant whose request was 500 ms under way ended \d+ ms before its time from the grant on: .* state validForMs and validFromMs, /,
      ),
    ],
  });
  expect(await found(true)).toMatchObject({ outcome: "passed" });
});
