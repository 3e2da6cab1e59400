import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Queued } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

/** A queue in the order of seconds: those who come in the same second stand in the order of their random names. */
const bySecond = driverWith((redis, right) => {
  let tell: (queued: Queued) => void = () => {};
  return {
    onQueued: (listener) => (tell = listener),
    acquire: async (key, options) => {
      const name = randomUUID();
      const until = performance.now() + options.waitMs;
      await redis.zadd("queue", Math.floor(Date.now() / 1000), name);
      for (;;) {
        const [first] = await redis.zrange("queue", "0", "0");
        const answer = first === name ? await right.acquire(key, { ...options, waitMs: 0 }) : undefined;
        const isOver = performance.now() >= until;
        if (isOver || (answer !== undefined && answer.type !== "fail")) {
          await redis.zrem("queue", name);
          return answer ?? { type: "fail", kind: "contended", reason: "not the first" };
        }
        tell({ key });
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
  };
});

test("a queue that confuses those who come in the same second is found", async () => {
  const topology = topologySchema.parse({ kind: "single" });
  const driver = { ...bySecond, supports: { fair: true } };
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  expect(checks.find(({ name }) => name === "queue")).toMatchObject({
    outcome: "mistake",
    details: [expect.stringContaining("was granted the lock first")],
  });
});
