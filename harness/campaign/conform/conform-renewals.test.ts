import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { LockClient } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

test("a lock that reports losses alone is asked about them, though it reports no renewals", async () => {
  const losses: Record<string, (lost: { readonly key: string; readonly owner: string }) => void> = {
    told: () => {},
    silent: () => {},
  };
  const outcomes = [];
  for (const name of Object.keys(losses)) {
    const driver = driverWith((redis, right) => {
      let tell = losses[name]!;
      return {
        acquire: async (key, options) => {
          const answer = await right.acquire(key, options);
          if (answer.type !== "ok") return answer;
          const { owner } = answer.value;
          const watch = setInterval(() => {
            void right.extend!(answer.value, options.ttlMs).then((extended) => {
              if (extended.type !== "fail") return;
              clearInterval(watch);
              tell({ key, owner });
            });
          }, options.ttlMs / 4);
          redis.on("end", () => clearInterval(watch));
          return answer;
        },
        onLost: (listener) => {
          if (name === "told") tell = listener;
        },
      };
    });
    const { checks } = await conformDriver({
      lock: "mine",
      topology: topologySchema.parse({ kind: "single" }),
      seed: 3,
      driver,
    });
    const found = checks.find((check) => check.name === "loss")!;
    outcomes.push([name, found.outcome, found.details]);
  }
  expect(outcomes).toEqual([
    ["told", "passed", []],
    ["silent", "skipped", ["this lock reports neither renewals nor losses: nothing shows that it watches its leases"]],
  ]);
});

test("a lock that renews its leases without a word is asked to report it", async () => {
  const driver = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type === "ok") setInterval(() => void redis.pexpire(key, options.ttlMs), options.ttlMs / 4);
      return answer;
    },
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const { details } = checks.find(({ name }) => name === "renewal")!;
  expect(details).toEqual([expect.stringContaining("does not call onRenewed")]);
});

test("a lock of which one client suspects that its lease is over, and the next try takes it, renews nothing", async () => {
  const driver = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(`${key}:lease`, options);
      if (answer.type !== "ok") return answer;
      const { owner } = answer.value;
      const isFree = (await redis.set(key, owner, "NX")) === "OK" || (await redis.getdel(`${key}:suspect`)) !== null;
      if (isFree) {
        await redis.set(key, owner);
        return { ...answer, value: { ...answer.value, key } };
      }
      await redis.set(`${key}:suspect`, "");
      await redis.del(`${key}:lease`);
      return { type: "fail", kind: "contended", reason: "held, as it seems" };
    },
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const { outcome, details } = checks.find(({ name }) => name === "renewal")!;
  expect([outcome, details]).toEqual(["skipped", ["this lock does not renew its leases by itself"]]);
});

test("a holder whose renewals get no answer is told before its lease ends, or a remark says how late", async () => {
  /** When the holder is told, in leases after the last renewal that was answered. */
  const ways: Readonly<Record<string, number>> = { "in time": 0.9, late: 1.5, never: Infinity };
  const found = [];
  for (const [way, leases] of Object.entries(ways)) {
    const driver = driverWith((redis, right) => {
      let tell: (lost: { readonly key: string; readonly owner: string }) => void = () => {};
      let renew: Parameters<NonNullable<LockClient["onRenewed"]>>[0] = () => {};
      return {
        acquire: async (key, options) => {
          const answer = await right.acquire(key, options);
          if (answer.type !== "ok") return answer;
          const { owner } = answer.value;
          let sentAt = performance.now();
          const watch = setInterval(() => {
            if (performance.now() - sentAt > options.ttlMs * leases) {
              clearInterval(watch);
              tell({ key, owner });
              return;
            }
            const now = performance.now();
            void right.extend!(answer.value, options.ttlMs).then(({ type }) => {
              if (type !== "ok") return;
              sentAt = now;
              renew({ key, owner, validForMs: options.ttlMs, validFromMs: now });
            });
          }, options.ttlMs / 10);
          redis.on("end", () => clearInterval(watch));
          return answer;
        },
        onLost: (listener) => void (tell = listener),
        onRenewed: (listener) => void (renew = listener),
      };
    });
    const topology = topologySchema.parse({ kind: "single" });
    const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
    const check = checks.find(({ name }) => name === "no-answer")!;
    found.push([way, check.outcome, check.details.join()]);
  }
  expect(found).toEqual([
    ["in time", "passed", ""],
    ["late", "remark", expect.stringMatching(/^the holder was told only [\d,]+ ms after its lease had ended/)],
    ["never", "remark", "the holder was not told within 6,000 ms after its lease had ended (onLost): it goes on"],
  ]);
});

test("a lock that lasts as long as its client's connection has no leases to be late with, or to renew", async () => {
  const driver = driverWith((redis) => ({
    acquire: async (key) => {
      // The server forgets a subscription with its connection.
      const [, holders] = (await redis.call("PUBSUB", "NUMSUB", key)) as [string, number];
      if (holders > 0) return { type: "fail", kind: "contended", reason: "held" };
      const owner = randomUUID();
      const subscriber = redis.duplicate();
      subscriber.on("error", () => {});
      await subscriber.subscribe(key);
      return { type: "ok", value: { key, owner } };
    },
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const found = Object.fromEntries(checks.map(({ name, outcome, details }) => [name, [outcome, details]]));
  expect(found["expiry"]).toEqual(["remark", [expect.stringContaining("this lock has no leases")]]);
  expect(found["renewal"]).toEqual(["skipped", ["this lock has no leases to renew"]]);
});

test("a lock whose leases are its own, longer than asked for, is not late if it says so", async () => {
  const found = async (validForMs: number): Promise<string | undefined> => {
    const driver = driverWith((redis) => ({
      acquire: async (key) => {
        const [owner, validFromMs] = [randomUUID(), performance.now()];
        if ((await redis.set(key, owner, "PX", 8000, "NX")) !== "OK")
          return { type: "fail", kind: "contended", reason: "held" };
        return { type: "ok", value: { key, owner, validForMs, validFromMs } };
      },
    }));
    const topology = topologySchema.parse({ kind: "single" });
    const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
    return checks.find(({ name }) => name === "expiry")?.outcome;
  };
  expect([await found(8000), await found(1000)]).toEqual(["remark", "mistake"]);
});
