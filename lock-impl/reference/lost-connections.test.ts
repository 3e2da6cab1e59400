import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadScript } from "../parts/scripts.ts";
import { type Behaviour, ScriptedServer } from "../testing/scripted-server.ts";
import { LockLostError, LockUnavailableError } from "./lock-errors.ts";
import { Locks, type LocksOptions } from "./locks.ts";

const PHASES = {
  acquire: loadScript("acquire-notifying").sha,
  extend: loadScript("extend").sha,
  release: loadScript("release-notifying").sha,
  pass: loadScript("hand-over").sha,
} as const;
type Phase = keyof typeof PHASES;

const granted: Behaviour = { reply: "*2\r\n:7\r\n:0\r\n" };
const passed: Behaviour = { reply: ":8\r\n" };
const one: Behaviour = { reply: ":1\r\n" };
const zero: Behaviour = { reply: ":0\r\n" };
const USUAL: Readonly<Record<Phase, Behaviour>> = { acquire: granted, extend: one, release: one, pass: passed };
const waits = { timeout: 5_000, interval: 5 };

let server: ScriptedServer;
let scripted: Partial<Record<Phase, Behaviour[]>>;
let disposables = new AsyncDisposableStack();

beforeEach(async () => {
  scripted = {};
  server = disposables.use(
    await ScriptedServer.listen((command) => {
      const phase = phaseOf(command);
      if (phase === undefined) return one;
      return scripted[phase]?.shift() ?? USUAL[phase];
    }),
  );
});
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

function phaseOf([, sha]: readonly string[]): Phase | undefined {
  return (Object.keys(PHASES) as Phase[]).find((phase) => PHASES[phase] === sha);
}

const sent = (phase: Phase): readonly (readonly string[])[] =>
  server.received.filter((command) => phaseOf(command) === phase);

async function connect(options: Partial<LocksOptions> = {}): Promise<Locks> {
  const servers = { kind: "single", address: server.address } as const;
  return disposables.use(await Locks.connect({ servers, waiting: "spin", ...options }));
}

describe("the connection is lost", () => {
  it("before anything is sent: the lock is taken when there is one again", async () => {
    const locks = await connect();
    server.breakConnections();
    expect(await locks.tryLock("k", 5_000)).toMatchObject({ fencingToken: 7 });
  });

  it("while acquiring: asked again under the same owner value, it is one hold", async () => {
    scripted.acquire = ["break"];
    const held = await (await connect()).lock("k");
    expect([held.fencingToken, sent("acquire").map((command) => command[5])]).toEqual([7, [held.owner, held.owner]]);
  });

  it("while it is held: nothing is lost, and it can be unlocked", async () => {
    const held = await (await connect()).lock("k");
    server.breakConnections();
    expect(await held.unlock()).toBe("released");
  });

  it("while extending: nobody knows, so the old lease counts, and it can be tried again", async () => {
    const held = await (await connect()).lock("k", { leaseMs: 20_000 });
    scripted.extend = ["break"];
    const error = await held.extend(60_000).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(LockLostError);
    expect(error).toMatchObject({ message: expect.stringContaining("was not extended") as string });
    expect([held.remainingMs() <= 20_000, held.signal.aborted]).toEqual([true, false]);
    await expect.poll(() => held.extend(60_000).then(() => "extended", String), waits).toBe("extended");
    expect(held.remainingMs()).toBeGreaterThan(20_000);
  });

  it("while renewing: the next renewal keeps the hold alive", { tags: "long" }, async () => {
    const held = await (await connect({ defaultLeaseMs: 3_000 })).lock("k");
    scripted.extend = ["break"];
    await expect.poll(() => sent("extend").length, { ...waits, timeout: 20_000 }).toBeGreaterThan(2);
    expect(held.signal.aborted).toBe(false);
    expect(await held.unlock()).toBe("released");
  });

  it("while unlocking: released when it is found the second time, and else unknown", async () => {
    const locks = await connect();
    scripted.release = ["break", one, "break", zero];
    expect(await (await locks.lock("k")).unlock()).toBe("released");
    expect(await (await locks.lock("k")).unlock()).toBe("unknown");
    expect(sent("release")).toHaveLength(4);
  });

  it("while handing over: the waiter takes the lock for itself", async () => {
    const locks = await connect({ localHandoffs: 1 });
    const first = await locks.lock("k");
    const waiter = locks.lock("k");
    scripted.pass = ["break"];
    await first.unlock();
    const second = await waiter;
    expect(sent("acquire").map((command) => command[5])).toEqual([first.owner, second.owner]);
    expect(await second.unlock()).toBe("released");
  });

  it(
    "for good: a try says that the lock is unavailable, an unlock that nobody knows, and a holder is told in time",
    { tags: "long" },
    async () => {
      const locks = await connect({ defaultLeaseMs: 600 });
      const held = await locks.lock("k");
      const other = await locks.lock("other", { leaseMs: 60_000 });
      await server[Symbol.asyncDispose]();
      await expect(locks.tryLock("third", 50)).rejects.toThrow(LockUnavailableError);
      expect(await other.unlock()).toBe("unknown");
      await expect.poll(() => held.signal.aborted, waits).toBe(true);
      expect(held.signal.reason).toBeInstanceOf(LockLostError);
    },
  );

  it("by closing it: holders are told", async () => {
    const locks = await connect();
    const held = await locks.lock("k");
    await locks[Symbol.asyncDispose]();
    expect(held.signal.reason).toMatchObject({ message: "the lock k is lost: its connection was closed" });
    await expect(held.extend(1_000)).rejects.toThrow(LockLostError);
  });
});
