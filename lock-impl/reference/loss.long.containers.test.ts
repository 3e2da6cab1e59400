// @module-tag long
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { RealLocks, waits } from "../testing/real-locks.ts";
import { LockLostError } from "./lock-errors.ts";
import type { LocksOptions } from "./locks.ts";

const real = RealLocks.forThisFile();

/** A busy machine is late. A holder that waits for the server's answer learns of it seconds later, or never. */
const BUSY_MS = 1_000;

describeWithEngine("loss", () => {
  const lossOf = async (onLoss: LocksOptions["onLoss"] & string) => {
    const alarm = vi.fn<(lost: LockLostError) => void>();
    const locks = await real.connect({ defaultLeaseMs: 120, onLoss, alarm });
    const held = await locks.lock("k");
    await real.first.redis.set("k", "another");
    return { held, alarm };
  };

  test("conservative: the signal aborts when a renewal finds another's lock", async () => {
    const { held, alarm } = await lossOf("conservative");
    await expect.poll(() => held.signal.aborted, waits).toBe(true);
    expect(alarm).toHaveBeenCalledOnce();
    expect(await held.unlock()).toBe("lost");
    expect(await real.holder()).toBe("another");
  });

  test("aggressive: the holder carries on; the alarm rings", async () => {
    const { held, alarm } = await lossOf("aggressive");
    await expect.poll(() => alarm.mock.calls.length, waits).toBe(1);
    expect(held.signal.aborted).toBe(false);
    await held[Symbol.asyncDispose]();
    expect(await real.holder()).toBe("another");
  });

  test("check-at-unlock: disposing throws, so that the caller rolls back", async () => {
    const { held, alarm } = await lossOf("check-at-unlock");
    await expect(held[Symbol.asyncDispose]()).rejects.toThrow(LockLostError);
    expect(held.signal.aborted).toBe(false);
    expect(alarm).toHaveBeenCalledOnce();
    expect(await real.holder()).toBe("another");
  });

  test("cut off from the server, the holder is told before the lease ends", async () => {
    const locks = await real.connect({ defaultLeaseMs: 600 });
    const held = await locks.lock("k");
    let toldAtMs = Infinity;
    held.signal.addEventListener("abort", () => (toldAtMs = performance.now()));
    const endsAtMs = performance.now() + (await real.first.redis.pttl("k"));
    await real.first.pause();
    try {
      await expect.poll(() => held.signal.aborted, waits).toBe(true);
      expect(toldAtMs).toBeLessThan(endsAtMs + BUSY_MS);
    } finally {
      await real.first.unpause();
    }
    expect(await held.unlock()).toBe("lost");
  });
});

describeWithEngine("when replies are lost", () => {
  test("an acquisition that was applied is recognised as its own, with its own token", async () => {
    const locks = await real.connect();
    await real.first.pause();
    const acquiring = locks.lock("k", { leaseMs: 60_000 });
    await sleep(300);
    await real.first.unpause();
    await using held = await acquiring;
    expect(await real.holder()).toBe(held.owner);
    expect(held.fencingToken).toBe(Number(await real.first.redis.get("{k}:fence")));
    // The lease counts from the first time it was sent.
    expect(held.remainingMs()).toBeLessThan(60_000 - 250);
  });

  test("unlocking without an answer is unknown, not lost", async () => {
    const locks = await real.connect();
    const held = await locks.lock("k", { leaseMs: 60_000 });
    await real.first.pause();
    try {
      expect(await held.unlock()).toBe("unknown");
    } finally {
      await real.first.unpause();
    }
  });
});
