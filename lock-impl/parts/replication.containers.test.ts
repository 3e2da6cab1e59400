import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import type { LockClient } from "../../harness/core/lock-driver.ts";
import { replicated } from "../ladder/replicated.ts";
import { RealServers, type RealRedis } from "../testing/real-redis.ts";

const wish = { ttlMs: 5_000, waitMs: 0, signal: new AbortController().signal };

let real: RealServers;
let master: RealRedis;
let replica: RealRedis;
let lock: LockClient;

beforeAll(async () => {
  real = await RealServers.start(2);
  const [first, second] = real.servers;
  if (first === undefined || second === undefined) throw new Error("two servers");
  [master, replica] = [first, second];
  await replica.redis.replicaof(master.address.host, master.address.port);
  await master.redis.set("probe", "1");
  await vi.waitFor(async () => expect(await master.redis.wait(1, 100)).toBe(1), { timeout: 20_000, interval: 20 });
  const driver = await replicated.load();
  lock = await driver.connect({ client: "client-0", servers: { kind: "single", address: master.address } });
});
afterAll(async () => {
  await lock[Symbol.asyncDispose]();
  await real[Symbol.asyncDispose]();
});

describeWithEngine("a replicated grant", () => {
  test("is on the replica when it is given", async () => {
    const granted = await lock.acquire("k", wish);
    if (granted.type !== "ok") throw new Error(granted.reason);
    expect(await replica.redis.get("k")).toBe(granted.value.owner);
    expect(granted.value.fence).toBe(1);
    expect(await lock.release(granted.value)).toEqual({ type: "ok", value: { released: true } });
  });

  test("is not given, and taken back, when the replica does not answer", async () => {
    await replica.pause();
    try {
      const refused = await lock.acquire("other", wish);
      // On a busy machine the client may give up before WAIT does.
      expect(refused).toMatchObject({
        type: "fail",
        kind: "error",
        reason: expect.stringMatching(/0 of 1 replicas|timed out/),
      });
      expect(await master.redis.exists("other")).toBe(0);
    } finally {
      await replica.unpause();
    }
  });
});
