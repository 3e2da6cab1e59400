// @module-tag long
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { RealServers } from "../testing/real-redis.ts";
import { Locks } from "./locks.ts";

const SLOTS = 16_384;

let real: RealServers;

/** Makes a cluster of the servers: each gets its share of the slots, and all know each other. */
async function formCluster({ servers }: RealServers): Promise<void> {
  const share = Math.ceil(SLOTS / servers.length);
  for (const [index, { redis }] of servers.entries()) {
    await redis.call("CLUSTER", "ADDSLOTSRANGE", index * share, Math.min(SLOTS, (index + 1) * share) - 1);
    await redis.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
  }
  // Afterwards: a server that has heard of another one accepts no epoch.
  for (const { redis } of servers) {
    for (const { address, busPort } of servers) {
      await redis.call("CLUSTER", "MEET", address.host, address.port, busPort);
    }
  }
  for (const { redis } of servers) {
    const isUp = async (): Promise<void> => {
      expect(String(await redis.call("CLUSTER", "INFO"))).toContain("cluster_state:ok");
    };
    await vi.waitFor(isUp, { timeout: 20_000, interval: 50 });
  }
}

beforeAll(async () => {
  real = await RealServers.start(3, { "cluster-enabled": "yes" });
  await formCluster(real);
});
afterAll(async () => {
  await real[Symbol.asyncDispose]();
});

describeWithEngine("locks on a Redis Cluster", () => {
  test.each(["orders", "{user:7}:orders", "stock", "shipments"])(
    "%s and its fence counter share a slot",
    async (key) => {
      await using locks = await Locks.connect({ servers: { kind: "cluster", nodes: real.addresses } });
      await using other = await Locks.connect({ servers: { kind: "cluster", nodes: real.addresses } });
      const held = await locks.lock(key);
      expect(await other.tryLock(key)).toBeUndefined();
      const waiter = other.lock(key);
      await held.extend(60_000);
      expect(await held.unlock()).toBe("released");
      const next = await waiter;
      expect([held.fencingToken, next.fencingToken]).toEqual([1, 2]);
      expect(await next.unlock()).toBe("released");
    },
  );

  test("keyspace notifications are refused: nodes notify of their own keys only", async () => {
    const options = { servers: { kind: "cluster", nodes: real.addresses }, waiting: "keyspace" } as const;
    await expect(Locks.connect(options)).rejects.toThrow(/use message/);
  });
});
