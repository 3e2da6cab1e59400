// @module-tag long
import { expect, test, vi } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { RealLocks, waits } from "../testing/real-locks.ts";

const real = RealLocks.forThisFile();

describeWithEngine("within one process", () => {
  test("one waiter contends, the others queue in order", async () => {
    const [one, other] = [await real.connect(), await real.connect()];
    const held = await one.lock("k");
    const order: number[] = [];
    const waiters = [1, 2, 3].map((number) =>
      other.using("k", async () => {
        order.push(number);
      }),
    );
    await expect.poll(() => real.subscribers(), waits).toBe(1);
    await held.unlock();
    await Promise.all(waiters);
    expect(order).toEqual([1, 2, 3]);
  });

  test("a handoff never frees the lock, and gives the next holder its own owner value, token and lease", async () => {
    const locks = await real.connect({ localHandoffs: 8 });
    const first = await locks.lock("k");
    const waiter = locks.lock("k", { leaseMs: 5_000 });
    const freed = vi.fn<() => void>();
    const listener = real.first.redis.duplicate();
    await listener.subscribe("{k}:freed");
    listener.on("message", freed);
    expect(await first.unlock()).toBe("released");
    const second = await waiter;
    expect(freed).not.toHaveBeenCalled();
    expect(second.owner).not.toBe(first.owner);
    expect([first.fencingToken, second.fencingToken]).toEqual([1, 2]);
    expect(await real.holder()).toBe(second.owner);
    expect(await real.first.redis.pttl("k")).toBeLessThanOrEqual(5_000);
    await second.unlock();
    await expect.poll(() => freed.mock.calls.length, waits).toBe(1);
    listener.disconnect();
  });

  test("after so many handoffs in a row the lock is freed, so that others have a chance", async () => {
    const locks = await real.connect({ localHandoffs: 2 });
    const heard: string[] = [];
    const listener = real.first.redis.duplicate();
    await listener.subscribe("{k}:freed");
    listener.on("message", () => heard.push("freed"));
    const first = await locks.lock("k");
    const waiters = [1, 2, 3, 4, 5].map((number) =>
      locks.using("k", async () => {
        // When this announcement has arrived, everything announced before this hold has too.
        await listener.ping();
        heard.push(String(number));
      }),
    );
    await first.unlock();
    await Promise.all(waiters);
    await expect.poll(() => heard, waits).toEqual(["1", "2", "freed", "3", "4", "5", "freed"]);
    listener.disconnect();
  });

  test("a lock that was lost is not handed over", async () => {
    const locks = await real.connect({ localHandoffs: 8 });
    const first = await locks.lock("k", { leaseMs: 60_000 });
    const waiter = locks.tryLock("k", 300);
    await real.first.redis.set("k", "another", "PX", 60_000);
    expect(await first.unlock()).toBe("lost");
    expect(await waiter).toBeUndefined();
    expect(await real.holder()).toBe("another");
  });
});
