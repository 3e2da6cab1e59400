import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { RealLocks, waits } from "../testing/real-locks.ts";
import { LockLostError } from "./lock-errors.ts";

const real = RealLocks.forThisFile();

describeWithEngine("leases", () => {
  test("the default lease is renewed, and its validity with it", async () => {
    const locks = await real.connect({ defaultLeaseMs: 1_200 });
    await using held = await locks.lock("k");
    // Longer than the lease.
    await sleep(1_500);
    expect(await real.holder()).toBe(held.owner);
    expect(held.remainingMs()).toBeGreaterThan(200);
    expect(held.signal.aborted).toBe(false);
  });

  test("an explicit lease is not: it ends, and the holder is told when it does", async () => {
    const locks = await real.connect({ defaultLeaseMs: 150 });
    const held = await locks.lock("k", { leaseMs: 200 });
    const told = Promise.withResolvers<void>();
    held.signal.addEventListener("abort", () => told.resolve());
    await told.promise;
    expect(held.signal.reason).toBeInstanceOf(LockLostError);
    expect(held.remainingMs()).toBe(0);
    await expect.poll(() => real.holder(), waits).toBeNull();
    expect(await held.unlock()).toBe("lost");
  });

  test("extend gives it a new lease", async () => {
    const locks = await real.connect();
    await using held = await locks.lock("k", { leaseMs: 500 });
    await held.extend(60_000);
    expect(held.remainingMs()).toBeGreaterThan(59_000);
    expect(await real.first.redis.pttl("k")).toBeGreaterThan(59_000);
  });

  test("extend after the loss throws, and does not take the lock back", async () => {
    const locks = await real.connect();
    const held = await locks.lock("k", { leaseMs: 60_000 });
    await real.first.redis.del("k");
    await expect(held.extend(60_000)).rejects.toThrow(LockLostError);
    await expect(held.extend(60_000)).rejects.toThrow(LockLostError);
    expect(held.signal.aborted).toBe(true);
    expect(await real.holder()).toBeNull();
  });

  test("extend after unlocking throws, and leaves the next holder's lease alone", async () => {
    const locks = await real.connect();
    const held = await locks.lock("k");
    await held.unlock();
    await locks.lock("k", { leaseMs: 10_000 });
    await expect(held.extend(60_000)).rejects.toThrow("it was unlocked");
    expect(await real.first.redis.pttl("k")).toBeLessThanOrEqual(10_000);
  });

  test.each([
    ["back", -3_600_000],
    ["on", 7_200_000],
  ])("a step of the wall clock %s neither ends nor prolongs anything", async (_, stepMs) => {
    const locks = await real.connect({ defaultLeaseMs: 900 });
    const other = await real.connect();
    await using held = await locks.lock("k", { leaseMs: 10_000 });
    await using renewed = await locks.lock("renewed");
    const beforeMs = held.remainingMs();
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + stepMs);
    try {
      expect(Math.abs(held.remainingMs() - beforeMs)).toBeLessThan(2_000);
      expect(await other.tryLock("k", 150)).toBeUndefined();
      let leastMs = Number.POSITIVE_INFINITY;
      const wasRenewed = async (): Promise<boolean> => {
        const leftMs = await real.first.redis.pttl("renewed");
        leastMs = Math.min(leastMs, leftMs);
        return leftMs > leastMs;
      };
      await expect.poll(wasRenewed, waits).toBe(true);
      expect([held.signal.aborted, renewed.signal.aborted]).toEqual([false, false]);
    } finally {
      clock.mockRestore();
    }
  });
});
