import { expect, test } from "vitest";
import type { LockClient, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

const topology = topologySchema.parse({ kind: "single" });

/** A lock that gives up what it holds as soon as its client is connected again, as some libraries do after any error of it. */
const givingUp = (tells: boolean): LockDriver =>
  driverWith((redis, right) => {
    const listeners: Parameters<NonNullable<LockClient["onLost"]>>[0][] = [];
    let wasReady = false;
    let held: { key: string; owner: string } | undefined;
    redis.on("ready", () => {
      if (wasReady && held !== undefined) {
        if (tells) for (const listener of listeners) listener(held);
        void right.release(held);
      }
      wasReady = true;
    });
    return {
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        if (answer.type === "ok") held = answer.value;
        return answer;
      },
      release: (grant) => {
        held = undefined;
        return right.release(grant);
      },
      onLost: (listener) => void listeners.push(listener),
    };
  });

const found = async (driver: LockDriver, check: string): Promise<unknown> => {
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return checks.find(({ name }) => name === check);
};

test("a lock that gives up what its client holds because the connection broke, and tells nobody, is found", async () => {
  expect(await found(givingUp(false), "broken-connection")).toMatchObject({
    outcome: "mistake",
    details: [
      expect.stringContaining(
        "another client was granted the lock within the lease of its holder, whose connections had been reset",
      ),
    ],
  });
});

test("one that tells its holder is right", async () => {
  expect(await found(givingUp(true), "broken-connection")).toMatchObject({ outcome: "passed" });
});

test.each(["own-grant", "foreign-release", "broken-connection", "expiry"])(
  "a lock that grants whatever is asked for is not said to have freed what others hold: %s",
  async (check) => {
    const blind = driverWith((redis, right) => ({
      acquire: async (key, options) => {
        await redis.del(key);
        return right.acquire(key, options);
      },
    }));
    expect(await found(blind, check)).toMatchObject({
      outcome: "mistake",
      details: ["a second client was granted a lock that is held"],
    });
  },
);
