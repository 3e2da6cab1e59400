import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import type { LockClient, Servers } from "../../harness/core/lock-driver.ts";
import type { LockEntry } from "../registry.ts";
import { locks } from "../registry.ts";
import { type RealRedis, RealServers } from "../testing/real-redis.ts";

const FIVE = 5;
const never = new AbortController().signal;
const once = { ttlMs: 3_000, waitMs: 0, signal: never };

let real: RealServers;

beforeAll(async () => {
  real = await RealServers.start(FIVE);
});
afterAll(async () => {
  await real[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await Promise.all(real.servers.map(({ redis }) => redis.flushall()));
});

function serversFor({ topologies }: LockEntry): Servers {
  if (topologies.includes("redlock")) return { kind: "redlock", nodes: real.addresses };
  return { kind: "single", address: real.first.address };
}

async function twoClients(lock: LockEntry) {
  const driver = await lock.load();
  const servers = serversFor(lock);
  const clients: LockClient[] = [];
  for (const client of ["client-0", "client-1"]) clients.push(await driver.connect({ client, servers }));
  const [a, b] = clients;
  if (a === undefined || b === undefined) throw new Error("two clients");
  return {
    a,
    b,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

const onRealServers = locks.filter(({ topologies }) =>
  topologies.some((topology) => topology === "single" || topology === "redlock"),
);

describeWithEngine("every lock, sound or flawed, in fair weather", () => {
  // The one that misses its wake-up does so here already.
  const waking = onRealServers.filter(({ name }) => name !== "lost-wakeup");
  test.each(waking.map((lock) => [lock.name, lock] as const))("%s", async (_, lock) => {
    await using clients = await twoClients(lock);
    const { a, b } = clients;
    const first = await a.acquire("k", once);
    expect(first).toMatchObject({ type: "ok" });
    if (first.type !== "ok") return;
    expect(first.value.fence !== undefined).toBe(lock.mintsFence);
    // A lock that ranks its holders by the clients' clocks does not hold between two that ask in one millisecond.
    const answeredMs = Date.now();
    await vi.waitUntil(() => Date.now() > answeredMs, { interval: 1 });
    expect(await b.acquire("k", once)).toMatchObject({ type: "fail", kind: "contended" });
    expect(await b.acquire("other", once)).toMatchObject({ type: "ok" });
    if (a.extend !== undefined) expect(await a.extend(first.value, 5_000)).toMatchObject({ type: "ok" });
    const waiting = b.acquire("k", { ...once, waitMs: 2_500 });
    expect(await a.release(first.value)).toEqual({ type: "ok", value: { released: true } });
    const second = await waiting;
    expect(second).toMatchObject({ type: "ok" });
    if (second.type === "ok") {
      expect(await b.release(second.value)).toEqual({ type: "ok", value: { released: true } });
    }
  });
});

/** The sound locks of this project: a library may answer in its own way where another holds what it held. */
const sound = onRealServers.filter(({ flawed, npmPackage }) => !flawed && npmPackage === undefined);

describeWithEngine("every sound lock", () => {
  test.each(sound.map((lock) => [lock.name, lock] as const))(
    "%s goes on after the scripts are gone",
    async (_, lock) => {
      await using clients = await twoClients(lock);
      const first = await clients.a.acquire("k", once);
      await Promise.all(real.servers.map(({ redis }) => redis.script("FLUSH")));
      if (first.type !== "ok") throw new Error(first.reason);
      expect(await clients.a.release(first.value)).toEqual({ type: "ok", value: { released: true } });
      expect(await clients.b.acquire("k", once)).toMatchObject({ type: "ok" });
    },
  );

  test.each(sound.map((lock) => [lock.name, lock] as const))(
    "%s leaves alone what is another's, when its own lease has ended",
    async (_, lock) => {
      await using clients = await twoClients(lock);
      const { a, b } = clients;
      const first = await a.acquire("k", once);
      if (first.type !== "ok") throw new Error(first.reason);
      // The lease ends, as if its time were over.
      await Promise.all(real.servers.map(({ redis }) => redis.del("k")));
      expect(await b.acquire("k", once)).toMatchObject({ type: "ok" });
      expect(await a.extend?.(first.value, 5_000)).toMatchObject({ type: "fail" });
      expect(await a.release(first.value)).toEqual({ type: "ok", value: { released: false } });
      expect(await a.acquire("k", once)).toMatchObject({ type: "fail", kind: "contended" });
    },
  );

  test.each(sound.map((lock) => [lock.name, lock] as const))("%s is released once", async (_, lock) => {
    await using clients = await twoClients(lock);
    const { a, b } = clients;
    const first = await a.acquire("k", once);
    if (first.type !== "ok") throw new Error(first.reason);
    expect(await a.release(first.value)).toEqual({ type: "ok", value: { released: true } });
    expect(await a.release(first.value)).toEqual({ type: "ok", value: { released: false } });
    expect(await b.acquire("k", once)).toMatchObject({ type: "ok" });
    expect(await a.release(first.value)).toEqual({ type: "ok", value: { released: false } });
    expect(await a.acquire("k", once)).toMatchObject({ type: "fail", kind: "contended" });
  });

  test.each(sound.map((lock) => [lock.name, lock] as const))("%s expires by itself", async (_, lock) => {
    await using clients = await twoClients(lock);
    await clients.a.acquire("k", once);
    const holding: RealRedis[] = [];
    for (const server of real.servers) if ((await server.redis.exists("k")) === 1) holding.push(server);
    const leases = await Promise.all(holding.map(({ redis }) => redis.pttl("k")));
    expect(leases.length).toBeGreaterThan(0);
    expect(leases.every((leaseMs) => leaseMs > 0 && leaseMs <= once.ttlMs)).toBe(true);
  });
});
