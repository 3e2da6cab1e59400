// @module-tag long
import { expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { RealLocks, waits } from "../testing/real-locks.ts";

const real = RealLocks.forThisFile();

/**
 * A waiter that is not woken asks again after five seconds: a shorter time means woken, however busy the machine is.
 */
const WOKEN_WITHIN_MS = 4_000;
const WAYS = ["message", "keyspace", "spin"] as const;
const CHANNELS = { message: "{k}:freed", keyspace: "__keyspace@0__:k" } as const;
const ANNOUNCED = Object.keys(CHANNELS) as (keyof typeof CHANNELS)[];

/** Two clients of locks that wait in this way, and a condition: this many of them listen. */
async function twoThatWait(waiting: (typeof WAYS)[number]) {
  const [one, other] = [await real.connect({ waiting }), await real.connect({ waiting })];
  const listen = async (clients: number): Promise<void> => {
    if (waiting === "spin") return;
    await expect.poll(() => real.subscribers(CHANNELS[waiting]), waits).toBe(clients);
  };
  return { one, other, listen };
}

describeWithEngine("waiting", () => {
  test.each(WAYS)("%s: gets the lock when it is freed", async (waiting) => {
    const { one, other, listen } = await twoThatWait(waiting);
    const held = await one.lock("k");
    const waiter = other.lock("k");
    await listen(1);
    const freedAtMs = performance.now();
    await held.unlock();
    await using next = await waiter;
    expect(performance.now() - freedAtMs).toBeLessThan(WOKEN_WITHIN_MS);
    expect(next.fencingToken).toBe(2);
    await listen(0);
  });

  test.each(WAYS)("%s: gets the lock of a holder that died", async (waiting) => {
    const { one, other } = await twoThatWait(waiting);
    await one.lock("k", { leaseMs: 200 });
    await one[Symbol.asyncDispose]();
    const began = performance.now();
    await using next = await other.lock("k");
    expect(next.fencingToken).toBe(2);
    expect(performance.now() - began).toBeLessThan(200 + WOKEN_WITHIN_MS);
  });

  test.each(WAYS)("%s: gives up when the time is over, and listens no more", async (waiting) => {
    const { one, other, listen } = await twoThatWait(waiting);
    const held = await one.lock("k");
    expect(await other.tryLock("k", 150)).toBeUndefined();
    await listen(0);
    await held.unlock();
    expect(await real.holder()).toBeNull();
  });

  test.each(WAYS)("%s: abort rejects with the signal's reason, and takes nothing afterwards", async (waiting) => {
    const { one, other, listen } = await twoThatWait(waiting);
    const held = await one.lock("k");
    const controller = new AbortController();
    const waiter = other.lock("k", { signal: controller.signal });
    await listen(1);
    controller.abort(new Error("no longer needed"));
    await expect(waiter).rejects.toThrow("no longer needed");
    await held.unlock();
    expect(await real.holder()).toBeNull();
    await listen(0);
  });

  test("abort while waiting behind a waiter of the same process", async () => {
    const [one, other] = [await real.connect(), await real.connect()];
    const held = await one.lock("k");
    const first = other.lock("k");
    const controller = new AbortController();
    const second = other.lock("k", { signal: controller.signal });
    const third = other.lock("k");
    controller.abort(new Error("no longer needed"));
    await expect(second).rejects.toThrow("no longer needed");
    await held.unlock();
    await (await first).unlock();
    await (await third).unlock();
    expect(await real.holder()).toBeNull();
  });

  test("a signal that has aborted already takes no lock", async () => {
    const locks = await real.connect();
    await expect(locks.lock("k", { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
    expect(await real.holder()).toBeNull();
  });

  test.each(ANNOUNCED)("%s: survives the loss of its subscription and of its connection", async (waiting) => {
    const { one, other, listen } = await twoThatWait(waiting);
    const held = await one.lock("k");
    const waiter = other.lock("k");
    await listen(1);
    await real.first.redis.call("CLIENT", "KILL", "TYPE", "pubsub");
    await real.first.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    const killedAtMs = performance.now();
    expect(await held.unlock()).not.toBe("lost");
    await using next = await waiter;
    expect(performance.now() - killedAtMs).toBeLessThan(WOKEN_WITHIN_MS);
    expect(next.fencingToken).toBe(2);
    await listen(0);
  });
});
