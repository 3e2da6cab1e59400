import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Completion, Grant, LockEnvironment } from "../core/lock-driver.ts";
import { ScriptedServer } from "../../lock-impl/testing/scripted-server.ts";
import type { Supports } from "../core/sharing.ts";
import { inFigures } from "../core/words/in-figures.ts";
import { ClientProgram, OPERATION_GRACE_MS } from "./client-program.ts";
import { SteppedTimers } from "./testing/stepped-timers.ts";
import { grant, StubClient } from "./testing/stub-client.ts";

const environment: LockEnvironment = {
  client: "client-0",
  servers: { kind: "single", address: { host: "127.0.0.1", port: 1 } },
};

let resource: ScriptedServer;
let lock: StubClient;
let now: number;
let timers: SteppedTimers;

beforeEach(async () => {
  resource = await ScriptedServer.listen(() => ({ reply: "+OK\r\n" }));
  lock = new StubClient();
  now = 0;
  timers = new SteppedTimers();
});

afterEach(async () => {
  await resource[Symbol.asyncDispose]();
});

function start(supports?: Supports): Promise<ClientProgram> {
  return ClientProgram.start({
    driver: { connect: async () => lock, ...(supports === undefined ? {} : { supports }) },
    environment,
    resource: resource.address,
    checks: { fencing: true, versions: false },
    trueNow: () => now,
    timers,
  });
}

const acquire = { op: "acquire", key: "k1", ttlMs: 1000, waitMs: 200 } as const;
const extend = { op: "extend", key: "k1", owner: "o1", ttlMs: 3000 } as const;
const release = { op: "release", key: "k1", owner: "o1" } as const;

describe("operations at the same time", () => {
  test.each([
    [{ concurrent: true }, ["acquire", "release", "acquire"]],
    [undefined, ["acquire"]],
  ])("are called at once only where the driver declares it: %o", async (supports, called) => {
    await using program = await start(supports);
    await program.perform(acquire);
    const answer = Promise.withResolvers<Completion<Grant>>();
    lock.asked.length = 0;
    lock.onAcquire = () => answer.promise;
    const asked = [acquire, release, acquire].map((request) => program.perform(request));
    await new Promise((resolve) => setImmediate(resolve));
    expect(lock.asked.map(([method]) => method)).toEqual(called);
    answer.resolve({ type: "ok", value: grant });
    expect((await Promise.all(asked)).every(({ ok }) => ok)).toBe(true);
    expect(lock.asked).toHaveLength(3);
  });

  test("on the guarded resource wait for none of the lock", async () => {
    await using program = await start();
    const answer = Promise.withResolvers<Completion<Grant>>();
    lock.onAcquire = () => answer.promise;
    const asked = program.perform(acquire);
    await program.perform({ op: "read", key: "k1" });
    answer.resolve({ type: "ok", value: grant });
    await asked;
  });
});

describe("acquire", () => {
  test("asks the driver, and stamps a grant with the true time at which it came", async () => {
    await using program = await start();
    lock.onAcquire = async () => {
      now = 5_000_000;
      return { type: "ok", value: grant };
    };
    expect(await program.perform(acquire)).toEqual({
      ok: true,
      owner: "o1",
      fence: 7,
      validForMs: 980,
      grantedAt: 5_000_000,
    });
    expect(lock.asked).toEqual([["acquire", "k1", { ttlMs: 1000, waitMs: 200, signal: expect.any(AbortSignal) }]]);
  });

  test("a promise counts from when the lock made it, although the process was not scheduled for a while after that", async () => {
    await using program = await start();
    lock.onAcquire = async () => {
      now = 100_000_000;
      return { type: "ok", value: { ...grant, validFromMs: performance.now() - 40 } };
    };
    const reply = (await program.perform(acquire)) as { readonly grantedAt: number };
    expect(reply).toEqual({
      ok: true,
      owner: "o1",
      fence: 7,
      validForMs: 980,
      grantedAt: expect.any(Number) as number,
    });
    expect(reply.grantedAt).toBeLessThanOrEqual(60_000_000);
  });

  test("says nothing of what the lock does not offer", async () => {
    await using program = await start();
    lock.onAcquire = async () => ({ type: "ok", value: { key: "k1", owner: "o1" } });
    expect(await program.perform(acquire)).toEqual({ ok: true, owner: "o1", grantedAt: 0 });
  });

  test.each([
    [{ type: "fail", kind: "contended", reason: "held" }, "contended"],
    [{ type: "fail", kind: "error", reason: "held" }, "error"],
    [{ type: "info", reason: "held" }, "indeterminate"],
  ] as const)("%o is %s", async (completion, kind) => {
    await using program = await start();
    lock.onAcquire = async () => completion;
    expect(await program.perform(acquire)).toEqual({ ok: false, kind, reason: "held" });
  });

  test.each([
    ["rejects", () => Promise.reject(new Error("no\nconnection"))],
    [
      "throws",
      () => {
        throw new Error("no\nconnection");
      },
    ],
  ])("is indeterminate when the driver %s: nobody knows how far it came", async (_, failing) => {
    await using program = await start();
    lock.onAcquire = failing;
    const reason = "the driver threw: no connection";
    expect(await program.perform(acquire)).toEqual({ ok: false, kind: "indeterminate", reason });
  });
});

describe("a driver whose answer is none", () => {
  test("leaves the operation open, and the reply says what is wrong", async () => {
    await using program = await start();
    lock.onAcquire = async () => ({ type: "ok", value: { ...grant, owner: "" } });
    const reason = "the answer of acquire: `owner` is empty";
    expect(await program.perform(acquire)).toEqual({ ok: false, kind: "invalid-answer", reason });
    lock.onAcquire = async () => ({ type: "ok", value: grant });
    await program.perform(acquire);
    lock.onRelease = async () => ({ type: "ok", value: { released: "yes" as never } });
    expect(await program.perform(release)).toMatchObject({ kind: "invalid-answer" });
    lock.onRelease = () => undefined as never;
    expect(await program.perform(release)).toMatchObject({ kind: "invalid-answer" });
  });

  test("may be a place in a queue, which is passed on if it names a key", async () => {
    let tell: (queued: { key: string }) => void = () => {};
    lock.onQueued = (listener) => (tell = listener);
    await using program = await start({ fair: true });
    const heard: object[] = [];
    program.onQueued((queued) => heard.push(queued));
    tell({ key: "" });
    expect(await program.perform(acquire)).toMatchObject({ reason: "the answer of onQueued: `key` is empty" });
    tell({ key: "k1" });
    expect(await program.perform(acquire)).toMatchObject({ ok: true });
    expect(heard).toEqual([{ key: "k1" }]);
  });

  test("may be a place in a queue of a lock that does not support that: nobody listens", async () => {
    const listened = vi.fn();
    lock.onQueued = listened;
    await using program = await start();
    program.onQueued(() => {});
    expect(listened).not.toHaveBeenCalled();
  });

  test("may be a lost notice: the next reply tells of it, and it is not passed on", async () => {
    let tell: (lost: { key: string; owner: string }) => void = () => {};
    lock.onLost = (listener) => (tell = listener);
    await using program = await start();
    const heard: object[] = [];
    program.onLost((lost) => heard.push(lost));
    tell({ key: "k1", owner: "" });
    expect(await program.perform(acquire)).toMatchObject({ reason: "the answer of onLost: `owner` is empty" });
    expect(await program.perform(acquire)).toMatchObject({ ok: true });
    expect(heard).toEqual([]);
  });

  test("may be its client", async () => {
    lock.release = undefined as never;
    await expect(start()).rejects.toThrow("its connect returns no client: there is no release");
  });
});

describe("a driver that does not come back", () => {
  test("is given up, told so, and what it says later is not heard", async () => {
    await using program = await start();
    const late = Promise.withResolvers<Completion<Grant>>();
    lock.onAcquire = () => late.promise;
    const reply = program.perform(acquire);
    await timers.advance(200 + OPERATION_GRACE_MS - 1);
    const { signal } = (lock.asked[0] as [string, string, { signal: AbortSignal }])[2];
    expect(signal.aborted).toBe(false);
    await timers.advance(1);
    expect(await reply).toEqual({
      ok: false,
      kind: "indeterminate",
      reason: `no answer from the driver within ${inFigures(200 + OPERATION_GRACE_MS)} ms`,
    });
    expect(signal.aborted).toBe(true);
    late.resolve({ type: "ok", value: grant });
    expect(await program.perform(release)).toMatchObject({ ok: false, kind: "indeterminate" });
    // Nobody would ever release a grant that nobody knows of.
    expect(lock.asked.slice(1)).toEqual([["release", grant]]);
  });

  test("may fail later without harm", async () => {
    await using program = await start();
    const late = Promise.withResolvers<Completion<Grant>>();
    lock.onAcquire = () => late.promise;
    const reply = program.perform(acquire);
    await timers.advance(200 + OPERATION_GRACE_MS);
    expect(await reply).toMatchObject({ kind: "indeterminate" });
    late.reject(new Error("far too late"));
    // An unhandled rejection would show by now and end the tests.
    await new Promise((resolve) => setImmediate(resolve));
  });

  test("leaves no timer behind when it does come back", async () => {
    await using program = await start();
    await program.perform(acquire);
    expect(timers.count).toBe(0);
  });

  test.each([extend, release])("leaves $op indeterminate", async (request) => {
    lock.extend = () => new Promise(() => {});
    await using program = await start();
    await program.perform(acquire);
    lock.onRelease = () => new Promise(() => {});
    const reply = program.perform(request);
    await timers.advance(OPERATION_GRACE_MS);
    expect(await reply).toMatchObject({ ok: false, kind: "indeterminate" });
  });
});

describe("extend", () => {
  test("is unsupported where the driver has no such thing", async () => {
    await using program = await start();
    await program.perform(acquire);
    expect(await program.perform(extend)).toMatchObject({ ok: false, kind: "unsupported" });
  });

  test("passes on the driver's own grant; the new one takes its place", async () => {
    const prolonged: Grant = { ...grant, validForMs: 2980 };
    lock.extend = async (...args) => {
      lock.asked.push(["extend", ...args]);
      return { type: "ok", value: prolonged };
    };
    await using program = await start();
    await program.perform(acquire);
    now = 9;
    expect(await program.perform(extend)).toEqual({ ok: true, owner: "o1", fence: 7, validForMs: 2980, grantedAt: 9 });
    await program.perform(release);
    expect(lock.asked[1]?.[1]).toBe(grant);
    expect(lock.asked.slice(1)).toEqual([
      ["extend", grant, 3000],
      ["release", prolonged],
    ]);
    expect(lock.asked[2]?.[1]).toBe(prolonged);
  });
});

describe("release", () => {
  test("passes on the driver's own grant, and tells what came of it", async () => {
    await using program = await start();
    await program.perform(acquire);
    lock.onRelease = async () => ({ type: "ok", value: { released: false } });
    expect(await program.perform(release)).toEqual({ ok: true, released: false });
    expect(lock.asked[1]?.[1]).toBe(grant);
  });

  test("can be tried again after an indeterminate end", async () => {
    await using program = await start();
    await program.perform(acquire);
    lock.onRelease = async () => ({ type: "info", reason: "timed out" });
    expect(await program.perform(release)).toMatchObject({ kind: "indeterminate" });
    lock.onRelease = async () => ({ type: "ok", value: { released: true } });
    expect(await program.perform(release)).toEqual({ ok: true, released: true });
  });

  test("passes on the grant once more if it is asked again", async () => {
    await using program = await start();
    await program.perform(acquire);
    expect(await program.perform(release)).toEqual({ ok: true, released: true });
    lock.onRelease = async () => ({ type: "ok", value: { released: false } });
    expect(await program.perform(release)).toEqual({ ok: true, released: false });
    expect(lock.asked[2]?.[1]).toBe(grant);
    expect(await program.perform({ ...release, owner: "o2" })).toMatchObject({ ok: false, kind: "indeterminate" });
  });

  test("of one key leaves another key's grant alone, though they have one owner value", async () => {
    await using program = await start();
    await program.perform(acquire);
    const other: Grant = { key: "k2", owner: "o1" };
    lock.onAcquire = async () => ({ type: "ok", value: other });
    await program.perform({ ...acquire, key: "k2" });
    await program.perform(release);
    await program.perform({ ...release, key: "k2" });
    expect(lock.asked.slice(2)).toEqual([
      ["release", grant],
      ["release", other],
    ]);
  });
});

describe("a lost lease", () => {
  test("is passed on", async () => {
    let tell: (lost: { key: string; owner: string }) => void = () => {};
    lock.onLost = (listener) => {
      tell = listener;
    };
    await using program = await start();
    const lost: unknown[] = [];
    program.onLost((which) => lost.push(which));
    tell({ key: "k1", owner: "o1" });
    expect(lost).toEqual([{ key: "k1", owner: "o1" }]);
  });

  test("is no concern of a lock that never finds out", async () => {
    await using program = await start();
    program.onLost(() => {});
  });
});

describe("starting", () => {
  test("fails as the driver does", async () => {
    const driver = { connect: () => Promise.reject(new Error("wrong password")) };
    const options = {
      driver,
      environment,
      resource: resource.address,
      checks: { fencing: true, versions: false },
      trueNow: () => 0,
    };
    await expect(ClientProgram.start(options)).rejects.toThrow("wrong password");
  });

  test("leaves no lock client behind when the resource cannot be reached", async () => {
    const gone = await ScriptedServer.listen(() => "break");
    const { address } = gone;
    await gone[Symbol.asyncDispose]();
    const driver = { connect: async () => lock };
    const options = {
      driver,
      environment,
      resource: address,
      checks: { fencing: true, versions: false },
      trueNow: () => 0,
    };
    await expect(ClientProgram.start(options)).rejects.toThrow();
    expect(lock.disposed).toBe(1);
  });
});

test("disposing closes the lock's client, even if closing throws", async () => {
  const program = await start();
  lock[Symbol.asyncDispose] = async () => {
    lock.disposed += 1;
    throw new Error("already closed");
  };
  await program[Symbol.asyncDispose]();
  expect(lock.disposed).toBe(1);
});

describe("what a driver supports", () => {
  const acquire = { op: "acquire", key: "k1", ttlMs: 1000, waitMs: 0 } as const;

  test("is asked for, with the limit and the permits, or with the mode", async () => {
    await using program = await start({ permits: true, modes: true });
    expect(await program.perform({ ...acquire, limit: 3, permits: 2 })).toMatchObject({ ok: true });
    expect(await program.perform({ ...acquire, mode: "shared" })).toMatchObject({ ok: true });
    expect(lock.asked.map(([, , options]) => options)).toEqual([
      { ttlMs: 1000, waitMs: 0, signal: expect.any(AbortSignal) as unknown, limit: 3, permits: 2 },
      { ttlMs: 1000, waitMs: 0, signal: expect.any(AbortSignal) as unknown, mode: "shared" },
    ]);
  });

  test("is not asked for otherwise: a driver would ignore it and grant the whole lock", async () => {
    await using program = await start({ permits: true });
    const reason = "the driver does not support the modes of a read-write lock";
    expect(await program.perform({ ...acquire, mode: "shared" })).toEqual({ ok: false, kind: "unsupported", reason });
    expect(lock.asked).toEqual([]);
  });
});
