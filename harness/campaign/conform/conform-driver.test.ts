import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { LockClient, LockDriver, Queued } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { CHECKLIST } from "./checklist.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith, renewing } from "./testing/right-drivers.ts";

/** The checks that found a mistake, with what they say. */
async function mistakesOf(driver: LockDriver): Promise<Readonly<Record<string, readonly string[]>>> {
  const { checks } = await conformDriver({
    lock: "mine",
    topology: topologySchema.parse({ kind: "single" }),
    seed: 3,
    driver,
  });
  expect(checks.map(({ name }) => name)).toEqual(CHECKLIST.map(({ name }) => name));
  return Object.fromEntries(
    checks.filter(({ outcome }) => outcome === "mistake").map(({ name, details }) => [name, details]),
  );
}

test("a right driver has no mistake", async () => {
  expect(await mistakesOf(driverWith(() => ({})))).toEqual({});
});

test.each([
  ["one by one when they take their time", -1, CHECKLIST.map(({ name }) => `trying: ${name}`)],
  ["not otherwise", Number.POSITIVE_INFINITY, []],
])("checks are told %s", async (_, slowAfterMs, expected) => {
  const told: string[] = [];
  const progress = { step: (text: string) => void told.push(text), note: () => {} };
  const topology = topologySchema.parse({ kind: "single" });
  const driver = driverWith(() => ({}));
  await conformDriver({ lock: "mine", topology, seed: 3, driver }, { progress, slowAfterMs });
  expect(told).toEqual(expected);
});

const TRIED: Readonly<Record<string, string>> = {
  semaphore: "permits",
  "read-write": "readers",
  "several-keys": "several-keys",
  fair: "queue",
};

test("a right semaphore, read-write, multi-key or fair lock has no mistake", { tags: "long" }, async () => {
  for (const [lock, check] of Object.entries(TRIED)) {
    const { checks } = await conformDriver({ lock, topology: topologySchema.parse({ kind: "single" }), seed: 3 });
    expect(checks.filter(({ outcome }) => outcome === "mistake")).toEqual([]);
    const tried = checks.find(({ name }) => name === check);
    expect(tried?.outcome).toBe("passed");
  }
});

/** A waiter says that it stands in the queue, and asks again after ever longer pauses. */
const seldomer = driverWith((_, right) => {
  let tell: (queued: Queued) => void = () => {};
  return {
    onQueued: (listener) => (tell = listener),
    acquire: async (key, options) => {
      const until = performance.now() + options.waitMs;
      for (let pauseMs = 25; ; pauseMs *= 4) {
        const answer = await right.acquire(key, { ...options, waitMs: 0 });
        if (answer.type !== "fail" || performance.now() >= until) return answer;
        tell({ key });
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
  };
});

const PLANTED: Readonly<Record<string, readonly [found: string, LockDriver]>> = {
  "a time-out is a failure": [
    "lost-reply",
    driverWith((_, right) => ({
      acquire: async (...args) => {
        const answer = await right.acquire(...args);
        return answer.type === "info" ? { type: "fail", kind: "error", reason: answer.reason } : answer;
      },
    })),
  ],
  "a time-out is a success": [
    "lost-reply",
    driverWith((_, right) => ({
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        return answer.type === "info" ? { type: "ok", value: { key, owner: randomUUID() } } : answer;
      },
    })),
  ],
  "contention is a grant": [
    "contention",
    driverWith((_, right) => ({
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        return answer.type === "fail" ? { type: "ok", value: { key, owner: randomUUID() } } : answer;
      },
    })),
  ],
  "it supports permits, and has one": ["permits", { ...driverWith(() => ({})), supports: { permits: true } }],
  "it supports permits, and counts none": [
    "permits",
    {
      ...driverWith(() => ({ acquire: async (key) => ({ type: "ok", value: { key, owner: randomUUID() } }) })),
      supports: { permits: true },
    },
  ],
  "it supports modes, and lets nobody read beside another": [
    "readers",
    { ...driverWith(() => ({})), supports: { modes: true } },
  ],
  "it supports modes, and lets everybody write": [
    "readers",
    {
      ...driverWith(() => ({ acquire: async (key) => ({ type: "ok", value: { key, owner: randomUUID() } }) })),
      supports: { modes: true },
    },
  ],
  "it supports several keys, and takes the first only": [
    "several-keys",
    { ...driverWith(() => ({})), supports: { severalKeys: true } },
  ],
  "it supports several keys, and keeps those that it took when one is held": [
    "several-keys",
    {
      ...driverWith((redis, right) => ({
        acquire: async (key, options) => {
          for (const each of options.alsoKeys ?? []) {
            if ((await redis.set(each, "mine", "PX", options.ttlMs, "NX")) !== "OK") {
              return { type: "fail", kind: "contended", reason: `${each} is held` };
            }
          }
          return right.acquire(key, options);
        },
      })),
      supports: { severalKeys: true },
    },
  ],
  "it counts leases in whole seconds, and rounds down": [
    "validity",
    driverWith((_, right) => ({
      acquire: async (key, options) => {
        const answer = await right.acquire(key, { ...options, ttlMs: 1000 * Math.round(options.ttlMs / 1000) });
        return answer.type === "ok" ? { type: "ok", value: { key, owner: answer.value.owner } } : answer;
      },
    })),
  ],
  "it supports fair, and does not say who stands in the queue": [
    "queue",
    { ...driverWith(() => ({})), supports: { fair: true } },
  ],
  "it supports fair, and asks ever more seldom": ["queue", { ...seldomer, supports: { fair: true } }],
  "it does not wait": [
    "waiting",
    driverWith((_, right) => ({ acquire: (key, options) => right.acquire(key, { ...options, waitMs: 0 }) })),
  ],
  "it waits for ever": [
    "giving-up",
    driverWith((_, right) => ({
      acquire: (key, options) => right.acquire(key, { ...options, waitMs: options.waitMs === 0 ? 0 : 1e6 }),
    })),
  ],
  "seconds for milliseconds": [
    "expiry",
    driverWith((_, right) => ({
      acquire: (key, options) => right.acquire(key, { ...options, ttlMs: options.ttlMs * 1000 }),
    })),
  ],
  "a lease shorter than asked for": [
    "expiry",
    driverWith((_, right) => ({
      acquire: (key, options) => right.acquire(key, { ...options, ttlMs: options.ttlMs / 4 }),
    })),
  ],
  "one owner value": [
    "owner-values",
    driverWith((redis) => ({
      acquire: async (key, { ttlMs }) => {
        const reply = await redis.set(key, "me", "PX", ttlMs, "NX");
        if (reply === null) return { type: "fail", kind: "contended", reason: "held" };
        return { type: "ok", value: { key, owner: "me" } };
      },
    })),
  ],
  "validity that counts from the reply": [
    "validity",
    driverWith((_, right) => ({
      acquire: async (...args) => {
        const answer = await right.acquire(...args);
        if (answer.type !== "ok") return answer;
        return { type: "ok", value: { ...answer.value, validFromMs: performance.now() } };
      },
    })),
  ],
  "an extension that counts from the reply": [
    "validity",
    driverWith((_, right) => ({
      extend: async (...args) => {
        const answer = await right.extend!(...args);
        if (answer.type !== "ok") return answer;
        return { type: "ok", value: { ...answer.value, validFromMs: performance.now() } };
      },
    })),
  ],
  "a renewal that counts from when it was seen": [
    "validity",
    renewing((renewed) => ({ ...renewed, validFromMs: performance.now() })),
  ],
  "a release that finds nothing is a success": [
    "foreign-release",
    driverWith((redis, right) => ({
      release: async ({ key, owner }) => {
        const free = (await redis.exists(key)) === 0;
        return free ? { type: "ok", value: { released: true } } : right.release({ key, owner });
      },
    })),
  ],
  "every release has released": [
    "foreign-release",
    driverWith((_, right) => ({
      release: async (grant) => {
        await right.release(grant);
        return { type: "ok", value: { released: true } };
      },
    })),
  ],
  "a release of whoever holds": [
    "foreign-release",
    driverWith((redis) => ({
      release: async ({ key }) => ({ type: "ok", value: { released: (await redis.del(key)) === 1 } }),
    })),
  ],
  "a release that does nothing": [
    "release",
    driverWith(() => ({ release: async () => ({ type: "ok", value: { released: true } }) })),
  ],
  "every extension is ok": [
    "extension",
    driverWith((_, right) => ({
      extend: async (grant, ttlMs) => {
        await right.extend?.(grant, ttlMs);
        return { type: "ok", value: grant };
      },
    })),
  ],
  "an answer of another shape": [
    "grants",
    driverWith((_, right) => ({
      acquire: async (...args) => ((await right.acquire(...args)).type === "ok") as never,
    })),
  ],
  "a fencing token that does not grow": [
    "fencing",
    driverWith((_, right) => ({
      acquire: async (...args) => {
        const answer = await right.acquire(...args);
        return answer.type === "ok" ? { type: "ok", value: { ...answer.value, fence: 1 } } : answer;
      },
    })),
  ],
  "errors that nobody handles": [
    "broken-connection",
    driverWith((redis) => {
      redis.on("close", () => {
        throw new RangeError("no connection");
      });
      return {};
    }),
  ],
  "a release that takes a time-out for an answer": [
    "lost-release",
    driverWith((_, right) => ({
      release: async (grant) => {
        const answer = await right.release(grant);
        return answer.type === "info" ? { type: "ok", value: { released: false } } : answer;
      },
    })),
  ],
  "a release that says that it released before it knows": [
    "lost-release",
    driverWith((_, right) => ({
      release: async (grant) => {
        const answer = await right.release(grant);
        return answer.type === "info" ? { type: "ok", value: { released: true } } : answer;
      },
    })),
  ],
  "a release whose time-out is a failure": [
    "lost-release",
    driverWith((_, right) => ({
      release: async (grant) => {
        const answer = await right.release(grant);
        return answer.type === "info" ? { type: "fail", kind: "error", reason: answer.reason } : answer;
      },
    })),
  ],
  "a connection that is not closed": ["disposal", driverWith(() => ({ [Symbol.asyncDispose]: async () => {} }))],
  "a client that cannot be closed": ["disposal", driverWith(() => ({ [Symbol.asyncDispose]: undefined as never }))],
  "a client that fails to close": [
    "disposal",
    driverWith((redis) => ({
      [Symbol.asyncDispose]: async () => {
        redis.disconnect();
        throw new Error("already closed");
      },
    })),
  ],
  "a renewal that it reports and does not make": [
    "renewal",
    driverWith((_, right) => {
      let tell: Parameters<NonNullable<LockClient["onRenewed"]>>[0] = () => {};
      return {
        acquire: async (key, options) => {
          const answer = await right.acquire(key, options);
          if (answer.type === "ok") {
            const { owner } = answer.value;
            setTimeout(() => tell({ key, owner, validForMs: options.ttlMs }), options.ttlMs / 2);
          }
          return answer;
        },
        onRenewed: (listener) => (tell = listener),
      };
    }),
  ],
};

test("a right driver of a lock that renews its lease has no mistake", async () => {
  expect(await mistakesOf(renewing((renewed) => renewed))).toEqual({});
});

test.each(Object.entries(PLANTED))("%s: found", { tags: "long" }, async (_mistake, [check, driver]) => {
  expect(Object.keys(await mistakesOf(driver))).toContain(check);
});

test("a release after a renewal that took the free lock back has found its own", async () => {
  const driver = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type !== "ok") return answer;
      const takeBack = (): Promise<unknown> => redis.set(key, answer.value.owner, "PX", options.ttlMs, "NX");
      setTimeout(() => void takeBack().catch(() => {}), options.ttlMs + 50);
      return answer;
    },
  }));
  expect(await mistakesOf(driver)).not.toHaveProperty("foreign-release");
});

test("a lock whose leases never end is not said to renew them", async () => {
  const driver = driverWith((redis) => ({
    acquire: async (key) => {
      const owner = randomUUID();
      if ((await redis.set(key, owner, "NX")) === "OK") return { type: "ok", value: { key, owner } };
      return { type: "fail", kind: "contended", reason: "held" };
    },
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const found = Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]));
  expect(found).toMatchObject({ expiry: "mistake", renewal: "skipped" });
});

test("a lock that does not say why it refuses leaves its driver `info`: a remark", async () => {
  const driver = driverWith((_, right) => ({
    acquire: async (...args) => {
      const answer = await right.acquire(...args);
      return answer.type === "fail" ? { type: "info", reason: "no lock" } : answer;
    },
  }));
  const { checks } = await conformDriver({
    lock: "test",
    topology: topologySchema.parse({ kind: "single" }),
    seed: 1,
    driver,
  });
  expect(checks.filter(({ outcome }) => outcome === "mistake")).toEqual([]);
  const remarks = checks.filter(({ name }) => name === "contention" || name === "giving-up");
  expect(remarks.map(({ outcome }) => outcome)).toEqual(["remark", "remark"]);
  expect(remarks[0]?.details[0]).toMatch(/^a held lock answered info \(no lock\): /);
});

test("what a driver does not declare is skipped in words, and it says how to declare it", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver: driverWith(() => ({})) });
  const details = Object.fromEntries(checks.map(({ name, details }) => [name, details]));
  expect(details).toMatchObject({
    permits: [
      "the driver does not declare permits of a semaphore: if the lock is a semaphore, add supports: { permits: true } to the driver",
    ],
    readers: [
      "the driver does not declare the modes of a read-write lock: if the lock is a read-write lock, add supports: { modes: true } to the driver",
    ],
    "several-keys": [
      "the driver does not declare several keys in one acquisition: if the lock takes several keys in one acquisition, add supports: { severalKeys: true } to the driver",
    ],
    queue: [
      "the driver does not declare a queue, first come, first served: if the lock serves waiting clients first come, first served, add supports: { fair: true } to the driver",
    ],
  });
});
