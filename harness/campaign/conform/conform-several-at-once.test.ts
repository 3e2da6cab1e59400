import { expect, test } from "vitest";
import type { LockClient, LockDriver } from "../../core/lock-driver.ts";
import { SerialQueue } from "../../core/serial-queue.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith } from "./testing/right-drivers.ts";

const topology = topologySchema.parse({ kind: "single" });

/** What the check says of a lock, by its name, or of a driver that declares several operations at a time. */
async function found(lock: string | LockDriver) {
  const driver = typeof lock === "string" ? undefined : { ...lock, supports: { concurrent: true } };
  const { checks } = await conformDriver({ lock: typeof lock === "string" ? lock : "mine", topology, seed: 3, driver });
  const { outcome, details } = checks.find(({ name }) => name === "several-at-once")!;
  return [outcome, details.join("; ")];
}

test("a lock that several requests may use at the same time passes", async () => {
  expect(await found(driverWith((_, right) => right))).toEqual(["passed", ""]);
  expect(await found("reference")).toEqual(["passed", ""]);
});

test("one that does not declare it is not tried, and told how to declare it", async () => {
  expect(await found("setnx")).toEqual([
    "skipped",
    expect.stringContaining("add supports: { concurrent: true } to the driver"),
  ]);
});

test("a field that the next acquisition overwrites is a mistake", async () => {
  expect(await found("owner-value-in-field")).toEqual([
    "mistake",
    expect.stringContaining("release of k3 answered released: false, while its client held it and"),
  ]);
});

test("a waiting request that is forgotten is a mistake", async () => {
  expect(await found("waiter-overwritten")).toEqual([
    "mistake",
    expect.stringContaining(
      "of four acquires of one client at a time, each of which gave the key back, one was answered contended",
    ),
  ]);
});

test("an acquire that lets a second request of its client in is a mistake", async () => {
  const known = (right: LockClient): LockClient["acquire"] => {
    const held = new Map<string, number>();
    return async (key, options) => {
      const until = held.get(key) ?? 0;
      if (until > performance.now())
        return { type: "ok", value: { key, owner: `again-${Math.random()}`, validForMs: until - performance.now() } };
      const answer = await right.acquire(key, options);
      if (answer.type === "ok") held.set(key, performance.now() + 80);
      return answer;
    };
  };
  expect(await found(driverWith((_, right) => ({ acquire: known(right) })))).toEqual([
    "mistake",
    expect.stringContaining("two acquires of one client were granted a key at the same time, under two owner values"),
  ]);
});

test("a driver that does one operation at a time is told to say so", async () => {
  const inTurn = (right: LockClient) => {
    const queue = new SerialQueue();
    return { acquire: (...asked: Parameters<LockClient["acquire"]>) => queue.run(() => right.acquire(...asked)) };
  };
  expect(await found(driverWith((_, right) => inTurn(right)))).toEqual([
    "remark",
    expect.stringContaining("if the driver does one at a time, leave out `concurrent`"),
  ]);
});

test.each([
  ["states when its leases began", true, "mistake", /were granted a key at the same time, under two owner values/],
  [
    "states nothing, so that they count from the requests",
    false,
    "skipped",
    /^the driver's answers came too late.* state validForMs/,
  ],
] as const)("an acquire that lets requests in after a long wait and %s", async (_, states, outcome, words) => {
  const driver = driverWith((_redis, right) => ({
    async acquire(key, options) {
      const late = key === "k5" && options.waitMs > 0;
      if (!late) return right.acquire(key, options);
      await new Promise((resolve) => setTimeout(resolve, 2 * options.ttlMs));
      const owner = `late-${Math.random()}`;
      const stated = { key, owner, validForMs: options.ttlMs, validFromMs: performance.now() };
      return { type: "ok", value: states ? stated : { key, owner } };
    },
  }));
  expect(await found(driver)).toEqual([outcome, expect.stringMatching(words)]);
});
