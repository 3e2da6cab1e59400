import { expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { RealLocks } from "../testing/real-locks.ts";

const real = RealLocks.forThisFile(5);

describeWithEngine("holding", () => {
  test("lock, with await using: held inside, free after", async () => {
    const locks = await real.connect();
    {
      await using held = await locks.lock("k");
      expect(await real.holder()).toBe(held.owner);
      expect(held.fencingToken).toBe(1);
      expect(held.remainingMs()).toBeGreaterThan(29_000);
      expect(held.signal.aborted).toBe(false);
    }
    expect(await real.holder()).toBeNull();
  });

  test("using frees the lock when the work throws, and passes on what it threw", async () => {
    const locks = await real.connect();
    const work = locks.using("k", async () => Promise.reject(new Error("the work failed")));
    await expect(work).rejects.toThrow("the work failed");
    expect(await real.holder()).toBeNull();
  });

  test("tryLock is undefined when another holds, at once or after waiting", async () => {
    const [one, other] = [await real.connect(), await real.connect()];
    await one.lock("k");
    expect(await other.tryLock("k")).toBeUndefined();
    const began = performance.now();
    expect(await other.tryLock("k", 120)).toBeUndefined();
    expect(performance.now() - began).toBeGreaterThan(110);
  });

  test("unlocking twice frees once and answers the same", async () => {
    const locks = await real.connect();
    const held = await locks.lock("k");
    expect([await held.unlock(), await held.unlock()]).toEqual(["released", "released"]);
    const next = await locks.lock("k");
    expect(await held.unlock()).toBe("released");
    expect(await real.holder()).toBe(next.owner);
  });

  test("fencing tokens grow from holder to holder", async () => {
    const all = [await real.connect(), await real.connect()];
    const tokens: (number | undefined)[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      await all[turn % 2]?.using("k", async (held) => {
        tokens.push(held.fencingToken);
      });
    }
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("on N masters there is no fencing token, and drift is allowed for", async () => {
    const locks = await real.connect({ servers: { kind: "redlock", nodes: real.servers.addresses } });
    await using held = await locks.lock("k");
    expect(held.fencingToken).toBeUndefined();
    expect(held.remainingMs()).toBeLessThan(30_000 - 302);
  });
});
