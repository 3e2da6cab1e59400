import { expect, test } from "vitest";
import type { LockClient, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { loadDriver } from "../../client/load-driver.ts";
import { CHECKLIST } from "./checklist.ts";
import { conformDriver } from "./conform-driver.ts";
import type { Conformity } from "./conformity.ts";
import { driverWith } from "./testing/right-drivers.ts";

const topology = topologySchema.parse({ kind: "single" });

async function found(driver: LockDriver): Promise<Readonly<Record<string, Conformity>>> {
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  expect(checks).toHaveLength(CHECKLIST.length);
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

const mistakes = (checks: Readonly<Record<string, Conformity>>): readonly Conformity[] =>
  Object.values(checks).filter(({ outcome }) => outcome === "mistake");

/** A release that only asks for it: the lock is freed some time later. */
const later = (release: LockClient["release"], afterMs: number): Partial<LockClient> => ({
  release: async (grant) => {
    setTimeout(() => void release(grant), afterMs);
    return { type: "info", reason: "the lock is freed later" };
  },
});

test.each([700, 20_000])(
  "a release of unknown outcome that frees the lock %d ms later is no mistake",
  async (afterMs) => {
    const checks = await found(driverWith((_, right) => later((grant) => right.release(grant), afterMs)));
    expect(mistakes(checks)).toEqual([]);
    expect(checks["release"]?.outcome).toBe("remark");
  },
);

test("nor is that of a semaphore, whose permit may be given back later", async () => {
  const right = await loadDriver("semaphore");
  const driver: LockDriver = {
    ...right,
    connect: async (environment) => {
      const client = await right.connect(environment);
      return Object.assign(client, later(client.release.bind(client), 20_000));
    },
  };
  const checks = await found(driver);
  expect(mistakes(checks)).toEqual([]);
  expect(checks["permits"]?.details[0]).toContain("the release before said nothing (the lock is freed later)");
});

test("a release that says that it freed the lock, and frees it later, is one", async () => {
  const driver = driverWith(() => ({
    release: async () => ({ type: "ok", value: { released: true } }),
  }));
  expect(mistakes(await found(driver)).map(({ name }) => name)).toContain("release");
});

test("nor is one after which nobody knows whether the next acquire took effect, if no server holds the lock", async () => {
  let clients = 0;
  const driver = driverWith((_, right) => {
    clients += 1;
    // Each check has three clients.
    const isFirst = clients % 3 === 1;
    return { acquire: async (...asked) => (isFirst ? right.acquire(...asked) : { type: "info", reason: "timed out" }) };
  });
  expect((await found(driver))["release"]).toMatchObject({
    outcome: "skipped",
    details: ["client-1 was not granted a free lock: info (timed out)"],
  });
});

test("a lock that ends its process when its connection breaks does what it may", async () => {
  const driver = driverWith((redis) => {
    redis.on("close", () => process.exit(3));
    return { [Symbol.asyncDispose]: async () => redis.removeAllListeners("close").disconnect() };
  });
  const checks = await found(driver);
  expect(mistakes(checks)).toEqual([]);
  expect(checks["broken-connection"]).toMatchObject({
    outcome: "remark",
    details: [
      expect.stringMatching(/^client-0 ended its own process, which a run records as a crash: .*process\.exit\(3\)/),
    ],
  });
});

test("a driver that gives up a second after its time, and then takes its request back, is in time", async () => {
  const driver = driverWith((redis, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      if (answer.type !== "fail") return answer;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await redis.get(key);
      return { type: "info", reason: "it waits for ever" };
    },
  }));
  expect((await found(driver))["giving-up"]?.outcome).toBe("remark");
});
