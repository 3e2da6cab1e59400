import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { describeWithEngine } from "../../harness/containers/engine-required.ts";
import { RealServers } from "../testing/real-redis.ts";
import { LockLostError } from "./lock-errors.ts";
import { Locks, type LocksOptions } from "./locks.ts";

let real: RealServers;
const opened: Locks[] = [];

beforeAll(async () => {
  real = await RealServers.start(5, { "notify-keyspace-events": "Kgx" });
});
afterAll(async () => {
  await real[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await Promise.all(real.servers.map(({ redis }) => redis.flushall()));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((locks) => locks[Symbol.asyncDispose]()));
});

async function connect(options: Partial<LocksOptions> = {}): Promise<Locks> {
  const locks = await Locks.connect({ servers: { kind: "single", address: real.first.address }, ...options });
  opened.push(locks);
  return locks;
}

const holder = (): Promise<string | null> => real.first.redis.get("k");
const subscribers = async (): Promise<number> => {
  const reply = await real.first.redis.call("PUBSUB", "NUMSUB", "{k}:freed");
  return Array.isArray(reply) ? Number(reply[1]) : -1;
};
const waits = { timeout: 5_000, interval: 5 };

describeWithEngine("holding", () => {
  test("lock, with await using: held inside, free after", async () => {
    const locks = await connect();
    {
      await using held = await locks.lock("k");
      expect(await holder()).toBe(held.owner);
      expect(held.fencingToken).toBe(1);
      expect(held.remainingMs()).toBeGreaterThan(29_000);
      expect(held.signal.aborted).toBe(false);
    }
    expect(await holder()).toBeNull();
  });

  test("using frees the lock when the work throws, and passes on what it threw", async () => {
    const locks = await connect();
    const work = locks.using("k", async () => Promise.reject(new Error("the work failed")));
    await expect(work).rejects.toThrow("the work failed");
    expect(await holder()).toBeNull();
  });

  test("tryLock is undefined when another holds, at once or after waiting", async () => {
    const [one, other] = [await connect(), await connect()];
    await one.lock("k");
    expect(await other.tryLock("k")).toBeUndefined();
    const began = performance.now();
    expect(await other.tryLock("k", 120)).toBeUndefined();
    expect(performance.now() - began).toBeGreaterThan(110);
  });

  test("unlocking twice frees once and answers the same", async () => {
    const locks = await connect();
    const held = await locks.lock("k");
    expect([await held.unlock(), await held.unlock()]).toEqual(["released", "released"]);
    const next = await locks.lock("k");
    expect(await held.unlock()).toBe("released");
    expect(await holder()).toBe(next.owner);
  });

  test("fencing tokens grow, whoever holds", async () => {
    const all = [await connect(), await connect()];
    const tokens: (number | undefined)[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      await all[turn % 2]?.using("k", async (held) => {
        tokens.push(held.fencingToken);
      });
    }
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("on N masters there is no fencing token, and drift is allowed for", async () => {
    const locks = await connect({ servers: { kind: "redlock", nodes: real.addresses } });
    await using held = await locks.lock("k");
    expect(held.fencingToken).toBeUndefined();
    expect(held.remainingMs()).toBeLessThan(30_000 - 302);
  });
});

describeWithEngine("leases", () => {
  test("the default lease is renewed, and its validity with it", async () => {
    const locks = await connect({ defaultLeaseMs: 1_200 });
    await using held = await locks.lock("k");
    // Longer than the lease.
    await sleep(1_500);
    expect(await holder()).toBe(held.owner);
    expect(held.remainingMs()).toBeGreaterThan(200);
    expect(held.signal.aborted).toBe(false);
  });

  test("an explicit lease is not: it ends, and the holder is told when it does", async () => {
    const locks = await connect({ defaultLeaseMs: 150 });
    const held = await locks.lock("k", { leaseMs: 200 });
    const told = Promise.withResolvers<void>();
    held.signal.addEventListener("abort", () => told.resolve());
    await told.promise;
    expect(held.signal.reason).toBeInstanceOf(LockLostError);
    expect(held.remainingMs()).toBe(0);
    await expect.poll(holder, waits).toBeNull();
    expect(await held.unlock()).toBe("lost");
  });

  test("extend gives it a new lease", async () => {
    const locks = await connect();
    await using held = await locks.lock("k", { leaseMs: 500 });
    await held.extend(60_000);
    expect(held.remainingMs()).toBeGreaterThan(59_000);
    expect(await real.first.redis.pttl("k")).toBeGreaterThan(59_000);
  });

  test("extend after the loss throws, and does not take the lock back", async () => {
    const locks = await connect();
    const held = await locks.lock("k", { leaseMs: 60_000 });
    await real.first.redis.del("k");
    await expect(held.extend(60_000)).rejects.toThrow(LockLostError);
    await expect(held.extend(60_000)).rejects.toThrow(LockLostError);
    expect(held.signal.aborted).toBe(true);
    expect(await holder()).toBeNull();
  });

  test("a step of the holder's wall clock changes nothing", async () => {
    const locks = await connect();
    await using held = await locks.lock("k", { leaseMs: 10_000 });
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
    const before = held.remainingMs();
    clock.mockReturnValue(Date.now() + 7_200_000);
    expect(Math.abs(held.remainingMs() - before)).toBeLessThan(1_000);
    clock.mockRestore();
  });
});

describeWithEngine("loss", () => {
  const lossOf = async (onLoss: LocksOptions["onLoss"] & string) => {
    const alarm = vi.fn<(lost: LockLostError) => void>();
    const locks = await connect({ defaultLeaseMs: 120, onLoss, alarm });
    const held = await locks.lock("k");
    await real.first.redis.set("k", "another");
    return { held, alarm };
  };

  test("conservative: the signal aborts when a renewal finds another's lock", async () => {
    const { held, alarm } = await lossOf("conservative");
    await expect.poll(() => held.signal.aborted, waits).toBe(true);
    expect(alarm).toHaveBeenCalledOnce();
    expect(await held.unlock()).toBe("lost");
    expect(await holder()).toBe("another");
  });

  test("aggressive: the holder carries on; the alarm rings", async () => {
    const { held, alarm } = await lossOf("aggressive");
    await expect.poll(() => alarm.mock.calls.length, waits).toBe(1);
    expect(held.signal.aborted).toBe(false);
    await held[Symbol.asyncDispose]();
    expect(await holder()).toBe("another");
  });

  test("check-at-unlock: disposing throws, so that the caller rolls back", async () => {
    const { held, alarm } = await lossOf("check-at-unlock");
    await expect(held[Symbol.asyncDispose]()).rejects.toThrow(LockLostError);
    expect(held.signal.aborted).toBe(false);
    expect(alarm).toHaveBeenCalledOnce();
    expect(await holder()).toBe("another");
  });

  test("cut off from the server, the holder is told before the lease ends", async () => {
    const locks = await connect({ defaultLeaseMs: 600 });
    const held = await locks.lock("k");
    const endsAtMs = performance.now() + (await real.first.redis.pttl("k"));
    await real.first.pause();
    try {
      await expect.poll(() => held.signal.aborted, waits).toBe(true);
      expect(performance.now()).toBeLessThan(endsAtMs + 200);
    } finally {
      await real.first.unpause();
    }
    expect(await held.unlock()).toBe("lost");
  });
});

describeWithEngine("waiting", () => {
  test.each(["message", "keyspace", "spin"] as const)("%s: gets the lock soon after it is freed", async (waiting) => {
    const [one, other] = [await connect({ waiting }), await connect({ waiting })];
    const held = await one.lock("k");
    const waiter = other.lock("k");
    await sleep(100);
    const freedAtMs = performance.now();
    await held.unlock();
    await using next = await waiter;
    expect(performance.now() - freedAtMs).toBeLessThan(150);
    expect(next.fencingToken).toBe(2);
  });

  test.each(["message", "keyspace", "spin"] as const)("%s: gets the lock of a holder that died", async (waiting) => {
    const [one, other] = [await connect({ waiting }), await connect({ waiting })];
    await one.lock("k", { leaseMs: 200 });
    await one[Symbol.asyncDispose]();
    const began = performance.now();
    await using next = await other.lock("k");
    expect(next.fencingToken).toBe(2);
    expect(performance.now() - began).toBeLessThan(500);
  });

  test("abort while waiting rejects with the signal's reason, and takes nothing afterwards", async () => {
    const [one, other] = [await connect(), await connect()];
    const held = await one.lock("k");
    const controller = new AbortController();
    const waiter = other.lock("k", { signal: controller.signal });
    await expect.poll(subscribers, waits).toBe(1);
    controller.abort(new Error("no longer needed"));
    await expect(waiter).rejects.toThrow("no longer needed");
    await held.unlock();
    expect(await holder()).toBeNull();
    await expect.poll(subscribers, waits).toBe(0);
  });

  test("abort while waiting behind a waiter of the same process", async () => {
    const [one, other] = [await connect(), await connect()];
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
    expect(await holder()).toBeNull();
  });

  test("a signal that has aborted already takes no lock", async () => {
    const locks = await connect();
    await expect(locks.lock("k", { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
    expect(await holder()).toBeNull();
  });

  test("survives the loss of its subscription and of its connection", async () => {
    const [one, other] = [await connect(), await connect()];
    const held = await one.lock("k");
    const waiter = other.lock("k");
    await expect.poll(subscribers, waits).toBe(1);
    await real.first.redis.call("CLIENT", "KILL", "TYPE", "pubsub");
    await real.first.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    const killedAtMs = performance.now();
    expect(await held.unlock()).not.toBe("lost");
    await using next = await waiter;
    expect(performance.now() - killedAtMs).toBeLessThan(2_000);
    expect(next.fencingToken).toBe(2);
  });

  test(
    "fifty waiters, two thousand operations: no wake-up and no subscription is lost",
    { timeout: 60_000 },
    async () => {
      const clients = await Promise.all(Array.from({ length: 10 }, () => connect()));
      let inside = 0;
      let done = 0;
      const tokens: number[] = [];
      const waiter = async (locks: Locks, index: number): Promise<void> => {
        for (let turn = 0; turn < 40; turn += 1) {
          const held = (turn + index) % 3 === 0 ? await locks.tryLock("k", 60_000) : await locks.lock("k");
          if (held === undefined) throw new Error("gave up");
          inside += 1;
          expect(inside).toBe(1);
          tokens.push(held.fencingToken ?? 0);
          if (turn % 10 === 0) await held.extend(20_000);
          inside -= 1;
          done += 1;
          await held.unlock();
        }
      };
      await Promise.all(Array.from({ length: 50 }, (_, index) => waiter(clients[index % 10] ?? clients[0]!, index)));
      expect(done).toBe(2_000);
      expect(tokens).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1));
      await expect.poll(subscribers, waits).toBe(0);
      expect(await holder()).toBeNull();
    },
  );
});

describeWithEngine("within one process", () => {
  test("one waiter contends, the others queue in order", async () => {
    const [one, other] = [await connect(), await connect()];
    const held = await one.lock("k");
    const order: number[] = [];
    const waiters = [1, 2, 3].map((number) =>
      other.using("k", async () => {
        order.push(number);
      }),
    );
    await expect.poll(subscribers, waits).toBe(1);
    await held.unlock();
    await Promise.all(waiters);
    expect(order).toEqual([1, 2, 3]);
  });

  test("a handoff never frees the lock, and gives the next holder its own owner value, token and lease", async () => {
    const locks = await connect({ localHandoffs: 8 });
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
    expect(await holder()).toBe(second.owner);
    expect(await real.first.redis.pttl("k")).toBeLessThanOrEqual(5_000);
    await second.unlock();
    await expect.poll(() => freed.mock.calls.length, waits).toBe(1);
    listener.disconnect();
  });

  test("after so many handoffs in a row the lock is freed, so that others have a chance", async () => {
    const locks = await connect({ localHandoffs: 2 });
    const heard: string[] = [];
    const listener = real.first.redis.duplicate();
    await listener.subscribe("{k}:freed");
    listener.on("message", () => heard.push("freed"));
    const first = await locks.lock("k");
    const waiters = [1, 2, 3, 4, 5].map((number) =>
      locks.using("k", async () => {
        // What was announced before this hold has arrived when this has.
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
    const locks = await connect({ localHandoffs: 8 });
    const first = await locks.lock("k", { leaseMs: 60_000 });
    const waiter = locks.tryLock("k", 300);
    await real.first.redis.set("k", "another", "PX", 60_000);
    expect(await first.unlock()).toBe("lost");
    expect(await waiter).toBeUndefined();
    expect(await holder()).toBe("another");
  });
});

describeWithEngine("when replies are lost", () => {
  test("an acquisition that was applied is recognised as its own, with its own token", async () => {
    const locks = await connect();
    await real.first.pause();
    const acquiring = locks.lock("k", { leaseMs: 60_000 });
    await sleep(300);
    await real.first.unpause();
    await using held = await acquiring;
    expect(await holder()).toBe(held.owner);
    expect(held.fencingToken).toBe(Number(await real.first.redis.get("{k}:fence")));
    // The lease counts from the first time it was sent.
    expect(held.remainingMs()).toBeLessThan(60_000 - 250);
  });

  test("unlocking without an answer is unknown, not lost", async () => {
    const locks = await connect();
    const held = await locks.lock("k", { leaseMs: 60_000 });
    await real.first.pause();
    try {
      expect(await held.unlock()).toBe("unknown");
    } finally {
      await real.first.unpause();
    }
  });
});
