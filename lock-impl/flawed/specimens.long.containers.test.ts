// @module-tag long
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import type { Completion, Grant, LockClient, LockDriver } from "../../harness/core/lock-driver.ts";
import { findLock } from "../registry.ts";
import { RealServers } from "../testing/real-redis.ts";

const never = new AbortController().signal;

let real: RealServers;

beforeAll(async () => {
  real = await RealServers.start(5);
});
afterAll(async () => {
  await real[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await Promise.all(real.servers.map(({ redis }) => redis.flushall()));
});

async function load(name: string): Promise<LockDriver> {
  const lock = findLock(name);
  if (lock === undefined) throw new Error(`no lock ${name}`);
  return lock.load();
}

/** Two clients of a lock, on one server or on five. */
async function clientsOf(name: string, on: "single" | "redlock" = "single") {
  const driver = await load(name);
  const servers =
    on === "single"
      ? ({ kind: "single", address: real.first.address } as const)
      : ({ kind: "redlock", nodes: real.addresses } as const);
  const a = await driver.connect({ client: "client-0", servers });
  const b = await driver.connect({ client: "client-1", servers });
  return {
    a,
    b,
    async [Symbol.asyncDispose]() {
      await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()]);
    },
  };
}

async function granted(client: LockClient, options: { ttlMs?: number; waitMs?: number } = {}): Promise<Grant> {
  return valueOf(await client.acquire("k", { ttlMs: 5_000, waitMs: 0, signal: never, ...options }));
}

function valueOf<T>(completion: Completion<T> | undefined): T {
  if (completion?.type !== "ok") throw new Error(completion?.reason ?? "not supported");
  return completion.value;
}

/** The lease in `k` ends, as if its time were over. */
async function expire(): Promise<void> {
  await Promise.all(real.servers.map(({ redis }) => redis.del("k")));
}

const holder = (): Promise<string | null> => real.first.redis.get("k");

describeWithEngine("flawed unlocking", () => {
  test.each(["set-px", "release-by-clock"])("%s deletes the next holder's lock", async (name) => {
    await using clients = await clientsOf(name);
    const first = await granted(clients.a);
    await expire();
    await granted(clients.b);
    expect(valueOf(await clients.a.release(first))).toEqual({ released: true });
    expect(await holder()).toBeNull();
  });

  test("owner-value-fixed cannot tell its own holds apart", async () => {
    await using clients = await clientsOf("owner-value-fixed");
    const first = await granted(clients.a);
    await expire();
    const second = await granted(clients.a);
    expect(second.owner).toBe(first.owner);
    expect(valueOf(await clients.a.release(first))).toEqual({ released: true });
    expect(await holder()).toBeNull();
  });

  test("setnx leaves a lock without an expiry", async () => {
    await using clients = await clientsOf("setnx");
    await granted(clients.a);
    expect(await real.first.redis.pttl("k")).toBe(-1);
  });
});

describeWithEngine("flawed extending", () => {
  test.each(["extend-set-xx", "extend-unchecked"])("%s extends what another holds, and believes it", async (name) => {
    await using clients = await clientsOf(name);
    const first = await granted(clients.a);
    await expire();
    await granted(clients.b);
    expect(await clients.a.extend?.(first, 9_000)).toMatchObject({ type: "ok" });
    expect(await real.first.redis.pttl("k")).toBeGreaterThan(5_000);
  });

  test("extend-unawaited believes that it extended what another holds", async () => {
    await using clients = await clientsOf("extend-unawaited");
    const first = await granted(clients.a);
    await expire();
    const second = await granted(clients.b);
    expect(await clients.a.extend?.(first, 9_000)).toMatchObject({ type: "ok" });
    expect(await holder()).toBe(second.owner);
  });

  test("extend-recreates reports a hold that another interrupted as unbroken", async () => {
    await using clients = await clientsOf("extend-recreates");
    const first = await granted(clients.a);
    await expire();
    await clients.b.release(await granted(clients.b));
    expect(await clients.a.extend?.(first, 9_000)).toMatchObject({ type: "ok" });
    expect(await holder()).toBe(first.owner);
  });

  test("renewal-outlives-unlock brings the lock back after it was unlocked", async () => {
    await using clients = await clientsOf("renewal-outlives-unlock");
    const held = await granted(clients.a, { ttlMs: 90 });
    expect(valueOf(await clients.a.release(held))).toEqual({ released: true });
    await expect.poll(holder, { timeout: 2_000, interval: 5 }).toBe(held.owner);
  });

  test("renewal-late-start brings the lock back when it was unlocked before its first renewal was answered", async () => {
    await using clients = await clientsOf("renewal-late-start");
    const held = await granted(clients.a, { ttlMs: 90 });
    expect(valueOf(await clients.a.release(held))).toEqual({ released: true });
    await expect.poll(holder, { timeout: 2_000, interval: 5 }).toBe(held.owner);
  });
});

describeWithEngine("flawed taking", () => {
  test("get-then-set gives the lock to both who saw it free", async () => {
    await using clients = await clientsOf("get-then-set");
    const { a, b } = clients;
    const both = await Promise.all([granted(a), granted(b)]);
    expect(new Set(both.map(({ owner }) => owner)).size).toBe(2);
  });

  test("ttl-in-seconds holds for less than it says", async () => {
    await using clients = await clientsOf("ttl-in-seconds");
    const held = await granted(clients.a, { ttlMs: 1_900 });
    expect(held.validForMs).toBeGreaterThan(1_500);
    expect(await real.first.redis.pttl("k")).toBeLessThanOrEqual(1_000);
  });

  test("timeout-is-success holds what another holds", async () => {
    await using clients = await clientsOf("timeout-is-success");
    const { a, b } = clients;
    await granted(a);
    await real.first.pause();
    const second = b.acquire("k", { ttlMs: 5_000, waitMs: 0, signal: never });
    expect(await second).toMatchObject({ type: "ok" });
    await real.first.unpause();
  });

  test("lost-wakeup sleeps through the expiry of the lock it waits for", async () => {
    await using clients = await clientsOf("lost-wakeup");
    await granted(clients.a, { ttlMs: 100 });
    const waiting = clients.b.acquire("k", { ttlMs: 100, waitMs: 600, signal: never });
    expect(await waiting).toMatchObject({ type: "fail", kind: "contended" });
    expect(await holder()).toBeNull();
  });
});

describeWithEngine("flawed re-entry", () => {
  test("reentrant-naive frees what the outer section believes to hold", async () => {
    await using clients = await clientsOf("reentrant-naive");
    const { a, b } = clients;
    await granted(a);
    await expire();
    await b.release(await granted(b));
    const inner = await granted(a);
    await a.release(inner);
    await expect(granted(b)).resolves.toBeDefined();
  });

  test("reentry-keeps-lease promises more than the server's lease", async () => {
    await using clients = await clientsOf("reentry-keeps-lease");
    const { a } = clients;
    await granted(a, { ttlMs: 5_000 });
    const inner = await granted(a, { ttlMs: 60_000 });
    expect(inner.validForMs).toBeGreaterThan(50_000);
    expect(await real.first.redis.pttl("k")).toBeLessThanOrEqual(5_000);
  });

  test("reentry-by-memory unlocks the outer hold with the inner one", async () => {
    await using clients = await clientsOf("reentry-by-memory");
    const { a, b } = clients;
    await granted(a);
    await a.release(await granted(a));
    await expect(granted(b)).resolves.toBeDefined();
  });
});

describeWithEngine("flawed fencing", () => {
  test("fence-deleted gives every hold the same token", async () => {
    await using clients = await clientsOf("fence-deleted");
    const { a, b } = clients;
    const first = await granted(a);
    await a.release(first);
    expect((await granted(b)).fence).toBe(first.fence);
  });

  test("handoff-same-fence hands its token on within a process, and frees the lock when nobody asks there", async () => {
    await using clients = await clientsOf("handoff-same-fence");
    const { a, b } = clients;
    const first = await granted(a);
    await a.release(first);
    expect(await b.acquire("k", { ttlMs: 5_000, waitMs: 0, signal: never })).toMatchObject({ kind: "contended" });
    const second = await granted(a);
    expect(second.fence).toBe(first.fence);
    await a.release(second);
    expect((await granted(b, { waitMs: 2_000 })).fence).toBeGreaterThan(second.fence ?? 0);
  });

  test("fence-on-release gives the next holder the token of a hold that expired", async () => {
    await using clients = await clientsOf("fence-on-release");
    const { a, b } = clients;
    const first = await granted(a);
    await expire();
    expect((await granted(b)).fence).toBe(first.fence);
  });

  test("fence-expires starts again", async () => {
    await using clients = await clientsOf("fence-expires");
    const { a, b } = clients;
    const first = await granted(a, { ttlMs: 60 });
    await expect.poll(() => real.first.redis.exists("{k}:fence"), { interval: 5 }).toBe(0);
    expect((await granted(b)).fence).toBe(first.fence);
  });

  test("fence-before-win spends tokens without winning", async () => {
    await using clients = await clientsOf("fence-before-win");
    const { a, b } = clients;
    const first = await granted(a);
    await b.acquire("k", { ttlMs: 5_000, waitMs: 0, signal: never });
    expect(Number(await real.first.redis.get("{k}:fence"))).toBe((first.fence ?? 0) + 1);
  });

  test("fence-max-of-incr gives a later majority a smaller token", async () => {
    await using clients = await clientsOf("fence-max-of-incr", "redlock");
    const { a, b } = clients;
    await real.first.redis.set("{k}:fence", 10);
    const first = await granted(a);
    expect(first.fence).toBe(11);
    await expire();
    // The server with the high counter does not take part in the next majority.
    await real.first.redis.set("k", "elsewhere");
    expect((await granted(b)).fence).toBeLessThan(11);
  });
});

describeWithEngine("flawed quorums", () => {
  test("quorum-of-two is content with two of five", async () => {
    await using clients = await clientsOf("quorum-of-two", "redlock");
    await Promise.all(real.servers.slice(0, 3).map(({ redis }) => redis.set("k", "another's majority")));
    await expect(granted(clients.a)).resolves.toBeDefined();
  });

  test("redlock is not", async () => {
    await using clients = await clientsOf("redlock", "redlock");
    await Promise.all(real.servers.slice(0, 3).map(({ redis }) => redis.set("k", "another's majority")));
    await expect(granted(clients.a)).rejects.toThrow(/held by another/);
  });

  test("drift-ignored trusts the whole lease, redlock a hundredth and 2 ms less", async () => {
    await using flawed = await clientsOf("drift-ignored", "redlock");
    await using sound = await clientsOf("redlock", "redlock");
    expect((await granted(flawed.a, { ttlMs: 30_000 })).validForMs).toBeGreaterThan(30_000 - 302);
    await expire();
    expect((await granted(sound.a, { ttlMs: 30_000 })).validForMs).toBeLessThanOrEqual(30_000 - 302);
  });

  test.each([
    ["no-elapsed-check", (validForMs: number) => validForMs < 0],
    ["validity-after-replies", (validForMs: number) => validForMs > 0],
  ])("%s hands out a lease that is over", async (name, isWrong) => {
    await using clients = await clientsOf(name, "redlock");
    // Two servers do not answer in time; by then a lease of 60 ms is over.
    const silent = real.servers.slice(3);
    for (const server of silent) await server.pause();
    const held = await granted(clients.a, { ttlMs: 60 });
    for (const server of silent) await server.unpause();
    expect(isWrong(held.validForMs ?? 0)).toBe(true);
  });

  test("redlock does not hand it out", async () => {
    await using clients = await clientsOf("redlock", "redlock");
    const silent = real.servers.slice(3);
    for (const server of silent) await server.pause();
    await expect(granted(clients.a, { ttlMs: 60 })).rejects.toThrow();
    for (const server of silent) await server.unpause();
  });

  test("redlock-delayed-restart does not ask a server that has just started", async () => {
    await using clients = await clientsOf("redlock-delayed-restart", "redlock");
    const held = await granted(clients.a, { ttlMs: 2_000 });
    expect(held.validForMs).toBeGreaterThan(0);
    await expect(granted(clients.a, { ttlMs: 60_000 })).rejects.toThrow(/3000 ms at most/);
  });
});
