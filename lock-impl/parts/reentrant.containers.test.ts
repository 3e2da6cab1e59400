import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import type { Grant, LockClient } from "../../harness/core/lock-driver.ts";
import { reentrant } from "../ladder/reentrant.ts";
import { RealServers } from "../testing/real-redis.ts";

const waits = { timeout: 5_000, interval: 5 };
const once = { ttlMs: 5_000, waitMs: 0, signal: new AbortController().signal };

let real: RealServers;
let a: LockClient;
let b: LockClient;

beforeAll(async () => {
  real = await RealServers.start(1);
});
afterAll(async () => {
  await real[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await real.first.redis.flushall();
  const servers = { kind: "single", address: real.first.address } as const;
  const driver = await reentrant.load();
  a = await driver.connect({ client: "client-0", servers });
  b = await driver.connect({ client: "client-1", servers });
  return async () => {
    await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()]);
  };
});

async function granted(client: LockClient, options: { readonly ttlMs?: number } = {}): Promise<Grant> {
  const completion = await client.acquire("k", { ...once, ...options });
  if (completion.type !== "ok") throw new Error(completion.reason);
  return completion.value;
}

const entries = (): Promise<Record<string, string>> => real.first.redis.hgetall("k");

/** A hold of two levels, whose lease the server has ended. */
async function expiredHold(): Promise<{ readonly outer: Grant; readonly inner: Grant }> {
  const outer = await granted(a, { ttlMs: 150 });
  const inner = await granted(a, { ttlMs: 150 });
  await expect.poll(() => real.first.redis.exists("k"), waits).toBe(0);
  return { outer, inner };
}

describeWithEngine("entering again", () => {
  test("is free when it was left as often as it was entered", async () => {
    const outer = await granted(a);
    const inner = await granted(a);
    expect(inner.owner).toBe(outer.owner);
    expect(await entries()).toEqual({ [outer.owner]: "2" });
    await a.release(inner);
    expect(await b.acquire("k", once)).toMatchObject({ kind: "contended" });
    await a.release(outer);
    await expect(granted(b)).resolves.toBeDefined();
  });

  test("keeps the outer lease when an inner entry asks for a shorter one, and takes a longer one", async () => {
    await granted(a, { ttlMs: 30_000 });
    await granted(a, { ttlMs: 1_000 });
    expect(await real.first.redis.pttl("k")).toBeGreaterThan(25_000);
    await granted(a, { ttlMs: 90_000 });
    expect(await real.first.redis.pttl("k")).toBeGreaterThan(85_000);
  });
});

describeWithEngine("entering again when the lease is over", () => {
  test("is refused, and told; the next entry is a first one, under an owner of its own", async () => {
    const lost: unknown[] = [];
    a.onLost?.((notice) => lost.push(notice));
    const { outer } = await expiredHold();
    expect(await a.acquire("k", once)).toMatchObject({ type: "fail", kind: "error" });
    expect(lost).toEqual([{ key: "k", owner: outer.owner }]);
    const next = await granted(a);
    expect(next.owner).not.toBe(outer.owner);
    expect(await entries()).toEqual({ [next.owner]: "1" });
  });

  test("leaves the next holder alone, on entering, extending and leaving", async () => {
    const { outer, inner } = await expiredHold();
    const { owner } = await granted(b);
    expect(await a.acquire("k", once)).toMatchObject({ type: "fail" });
    expect(await a.extend?.(outer, 60_000)).toMatchObject({ type: "fail" });
    for (const grant of [inner, outer]) expect(await a.release(grant)).toMatchObject({ value: { released: false } });
    expect(await entries()).toEqual({ [owner]: "1" });
    expect(await real.first.redis.pttl("k")).toBeLessThanOrEqual(5_000);
  });

  test("leaves alone its own next hold when the lost one is left late", async () => {
    const { outer, inner } = await expiredHold();
    await a.acquire("k", once);
    const next = await granted(a);
    for (const grant of [inner, outer]) expect(await a.release(grant)).toMatchObject({ value: { released: false } });
    expect(await entries()).toEqual({ [next.owner]: "1" });
  });
});
