import { expect, test } from "vitest";
import type { LockClient, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

/** What `conform` finds of the disposal of a client that starts this when it is granted the lock. */
async function foundAfter(start: () => void) {
  const driver: LockDriver = driverWith((_, right) => ({
    acquire: (async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type === "ok") start();
      return answer;
    }) satisfies LockClient["acquire"],
  }));
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return checks.find(({ name }) => name === "disposal");
}

test("timers that go on after disposal are remarked, because they keep the process alive", async () => {
  expect(await foundAfter(() => void setInterval(() => {}, 500))).toMatchObject({
    outcome: "remark",
    details: [
      "a minute after its disposal 1 timer of the client goes on, and keeps the process alive: clear it, or call its unref()",
    ],
  });
  const loop = (): void => void setTimeout(loop, 50);
  const both = await foundAfter(() => (loop(), void setTimeout(() => {}, 3_600_000)));
  expect(both?.details).toEqual([
    "a minute after its disposal 2 timers of the client go on, and keep the process alive: clear them, or call their unref()",
  ]);
});

test("timers that end, were cleared or keep no process alive are not remarked", async () => {
  const found = await foundAfter(() => {
    setTimeout(() => {}, 10_000);
    clearInterval(setInterval(() => {}, 500));
    setInterval(() => {}, 500).unref();
    setTimeout(() => {}, 3_600_000).unref();
    AbortSignal.timeout(3_600_000);
  });
  expect(found).toMatchObject({ outcome: "passed", details: [] });
});

test("a timer that is to keep the process alive again is remarked", async () => {
  const found = await foundAfter(
    () =>
      void setInterval(() => {}, 500)
        .unref()
        .ref(),
  );
  expect(found?.outcome).toBe("remark");
});
