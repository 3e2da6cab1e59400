import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Completion, Grant, LockClient, LockDriver, Renewed } from "../core/lock-driver.ts";
import { alteredDriver, type Alteration, probeReason } from "./altered-driver.ts";

const environment = {
  client: "client-1",
  servers: { kind: "single", address: { host: "127.0.0.1", port: 1 } },
} as const;

interface Scripted {
  readonly driver: LockDriver;
  readonly done: string[];
  /** Reports that the lock has renewed a lease by itself. */
  readonly renew: (renewed: Renewed) => void;
}

/** A lock that takes `takesMs` for a grant and reports this validity. */
function lock({
  takesMs = 0,
  ...validity
}: { takesMs?: number; validForMs?: number; validFromMs?: number } = {}): Scripted {
  const done: string[] = [];
  const listeners: ((renewed: Renewed) => void)[] = [];
  const renew = (renewed: Renewed) => {
    for (const listener of listeners) listener(renewed);
  };
  const grant = (key: string): Grant => ({ key, owner: "a", ...validity });
  const driver: LockDriver = {
    connect: async () => ({
      acquire: async (key) => {
        await vi.advanceTimersByTimeAsync(takesMs);
        return { type: "ok", value: grant(key) };
      },
      extend: async ({ key }) => {
        done.push("extend");
        return { type: "ok", value: grant(key) };
      },
      release: async () => {
        done.push("release");
        return { type: "ok", value: { released: true } };
      },
      onRenewed: (listener) => void listeners.push(listener),
      [Symbol.asyncDispose]: async () => {},
    }),
  };
  return { driver, done, renew };
}

async function connect({ driver }: Scripted, alteration: Alteration): Promise<LockClient> {
  return alteredDriver(driver, alteration).connect(environment);
}

const acquire = (client: LockClient, waitMs = 0, key = "k"): Promise<Completion<Grant>> =>
  client.acquire(key, { ttlMs: 100, waitMs, signal: new AbortController().signal });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a check of the elapsed time", () => {
  const check = { kind: "elapsed-check" } as const;

  it("discards a grant that comes when its TTL is over, and gives it back", async () => {
    const late = lock({ takesMs: 100 });
    expect(await acquire(await connect(late, check))).toMatchObject({ type: "fail", kind: "error" });
    expect(late.done).toEqual(["release"]);
    expect(await acquire(await connect(lock({ takesMs: 99 }), check))).toMatchObject({ type: "ok" });
  });

  it("goes by the validity that the lock reports, which knows better", async () => {
    expect(await acquire(await connect(lock({ takesMs: 200, validForMs: 1 }), check))).toMatchObject({ type: "ok" });
    expect(await acquire(await connect(lock({ validForMs: 0 }), check))).toMatchObject({ type: "fail" });
  });

  it("leaves alone a grant for which it may have waited", async () => {
    expect(await acquire(await connect(lock({ takesMs: 200 }), check), 500)).toMatchObject({ type: "ok" });
  });

  it("discards a grant whose validity, counted from where the lock counts it, is over on arrival", async () => {
    const late = lock({ takesMs: 50, validForMs: 40, validFromMs: performance.now() });
    expect(await acquire(await connect(late, check))).toMatchObject({ type: "fail", kind: "error" });
  });

  it("discards an extension that comes when its lease is over, which may have had its effect", async () => {
    const client = await connect(lock({ validForMs: -1 }), check);
    const grant = { key: "k", owner: "a" };
    expect(await client.extend?.(grant, 100)).toMatchObject({ type: "info" });
    expect(await (await connect(lock({ validForMs: 1 }), check)).extend?.(grant, 100)).toMatchObject({ type: "ok" });
    expect(await (await connect(lock(), check)).extend?.(grant, 100)).toMatchObject({ type: "ok" });
  });

  it("leaves alone a grant that the lock has renewed meanwhile, and passes on that it has", async () => {
    const renewed = { key: "k", owner: "a", validForMs: 100 };
    const slow = lock({ takesMs: 120 });
    const client = await connect(slow, check);
    const told: Renewed[] = [];
    client.onRenewed?.((renewal) => told.push(renewal));
    setTimeout(() => slow.renew(renewed), 90);
    expect(await acquire(client)).toMatchObject({ type: "ok" });
    expect(told).toEqual([renewed]);
    expect(await acquire(client)).toMatchObject({ type: "fail", kind: "error" });
  });

  it("leaves alone a grant that was renewed before another task of the client asked", async () => {
    const asked: { readonly key: string; readonly grant: () => void }[] = [];
    const scripted = lock();
    const driver: LockDriver = {
      connect: async (each) => ({
        ...(await scripted.driver.connect(each)),
        acquire: (key) => {
          const { promise, resolve } = Promise.withResolvers<Completion<Grant>>();
          asked.push({ key, grant: () => resolve({ type: "ok", value: { key, owner: key } }) });
          return promise;
        },
      }),
    };
    const client = await connect({ ...scripted, driver }, check);
    const renewed = acquire(client, 0, "k1");
    await vi.advanceTimersByTimeAsync(90);
    scripted.renew({ key: "k1", owner: "k1", validForMs: 100 });
    const late = acquire(client, 0, "k2");
    await vi.advanceTimersByTimeAsync(90);
    for (const { grant } of asked) grant();
    expect([await renewed, await late]).toMatchObject([{ type: "ok" }, { type: "ok" }]);
    const again = acquire(client, 0, "k1");
    await vi.advanceTimersByTimeAsync(100);
    asked.at(-1)?.grant();
    expect(await again).toMatchObject({ type: "fail" });
  });
});

describe("a timer in the client", () => {
  const timer = { kind: "local-timer" } as const;

  async function held(scripted: Scripted) {
    const client = await connect(scripted, timer);
    const lost: string[] = [];
    client.onLost?.(({ key, owner }) => lost.push(`${key} ${owner}`));
    const completion = await acquire(client);
    if (completion.type !== "ok") throw new Error("it was not granted");
    return { client, lost, grant: completion.value };
  }

  it("tells the holder when its lease is over, counted from the request", async () => {
    const { lost } = await held(lock({ takesMs: 40 }));
    await vi.advanceTimersByTimeAsync(59);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toEqual(["k a"]);
  });

  it("goes by the validity that the lock reports", async () => {
    const { lost } = await held(lock({ validForMs: 30 }));
    await vi.advanceTimersByTimeAsync(30);
    expect(lost).toEqual(["k a"]);
  });

  it("begins again with an extension, and ends with the release", async () => {
    const { client, lost, grant } = await held(lock());
    await vi.advanceTimersByTimeAsync(90);
    await client.extend?.(grant, 100);
    await vi.advanceTimersByTimeAsync(90);
    expect(lost).toEqual([]);
    await client.release(grant);
    await vi.advanceTimersByTimeAsync(500);
    expect(lost).toEqual([]);
  });

  it("begins again with each renewal by the lock itself, from where the lock counts it, and passes it on", async () => {
    const renewing = lock();
    const { client, lost } = await held(renewing);
    const told: Renewed[] = [];
    client.onRenewed?.((renewal) => told.push(renewal));
    const renewals = [100, 100, 40].map((validForMs) => ({ key: "k", owner: "a", validForMs }));
    for (const renewal of renewals) {
      await vi.advanceTimersByTimeAsync(90);
      renewing.renew(renewal);
    }
    expect(told).toEqual(renewals);
    await vi.advanceTimersByTimeAsync(30);
    renewing.renew({ key: "k", owner: "a", validForMs: 100, validFromMs: performance.now() - 60 });
    await vi.advanceTimersByTimeAsync(39);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toEqual(["k a"]);
  });

  it("is not set by a renewal of what is not held any more, nor of another lease, nor by what tells of none", async () => {
    const renewing = lock();
    const { client, lost, grant } = await held(renewing);
    renewing.renew({ key: "k", owner: "b", validForMs: 500 });
    renewing.renew({ key: "k", owner: "a" } as Renewed);
    renewing.renew(null as unknown as Renewed);
    await vi.advanceTimersByTimeAsync(100);
    expect(lost).toEqual(["k a"]);
    await acquire(client);
    await client.release(grant);
    renewing.renew({ key: "k", owner: "a", validForMs: 50 });
    await vi.advanceTimersByTimeAsync(500);
    expect(lost).toEqual(["k a"]);
  });

  it("goes on after an inner release, with the lease of the re-entry", async () => {
    const { client, lost, grant } = await held(lock());
    await vi.advanceTimersByTimeAsync(50);
    await acquire(client);
    await client.release(grant);
    await vi.advanceTimersByTimeAsync(99);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toEqual(["k a"]);
  });
});

describe("an operation that is left out", () => {
  it("is the one that is named, of the client that is named, and has no effect", async () => {
    const scripted = lock();
    const grant = { key: "k", owner: "a" };
    const client = await connect(scripted, { kind: "leave-out", client: 1, f: "release", ordinal: 2 });
    expect(await client.release(grant)).toMatchObject({ type: "ok" });
    expect(await client.release(grant)).toMatchObject({ type: "ok", value: { released: false } });
    expect(await client.release(grant)).toMatchObject({ type: "ok", value: { released: true } });
    expect(scripted.done).toEqual(["release", "release"]);
    await client.extend?.(grant, 100);
    expect(scripted.done).toHaveLength(3);
    const extending = lock();
    const refused = await connect(extending, { kind: "leave-out", client: 1, f: "extend", ordinal: 1 });
    expect(await refused.extend?.(grant, 100)).toMatchObject({ type: "fail" });
    expect(extending.done).toEqual([]);
    const other = await connect(lock(), { kind: "leave-out", client: 0, f: "release", ordinal: 1 });
    expect(await other.release(grant)).toMatchObject({ type: "ok" });
  });
});

describe("a release that a probe replaces", () => {
  const probing = { kind: "probe", client: 1, ordinal: 1 } as const;

  it.each([
    ["another owner is granted the key", { type: "ok", value: { key: "k", owner: "b" } }, "free"],
    ["the same owner enters again", { type: "ok", value: { key: "k", owner: "a" } }, "unclear"],
    ["another owner is refused", { type: "fail", kind: "contended", reason: "held" }, "held"],
    ["nobody knows", { type: "info", reason: "timed out" }, "unclear"],
  ] as const)("fails, and says that %s", async (_, found, probed) => {
    const released: Grant[] = [];
    const answers: Completion<Grant>[] = [{ type: "ok", value: { key: "k", owner: "a" } }, found];
    const disposed: number[] = [];
    let connected = 0;
    const driver: LockDriver = {
      connect: async () => {
        const object = (connected += 1);
        return {
          acquire: async () => answers.splice(object - 1, 1, { type: "info", reason: "asked twice" })[0]!,
          release: async (grant) => {
            released.push(grant);
            return { type: "ok", value: { released: true } };
          },
          [Symbol.asyncDispose]: async () => void disposed.push(object),
        };
      },
    };
    const client = await alteredDriver(driver, probing).connect(environment);
    await acquire(client);
    const answer = await client.release({ key: "k", owner: "a" });
    expect(answer).toEqual({ type: "fail", kind: "error", reason: probeReason(probed) });
    expect(released).toEqual([]);
    expect(disposed).toEqual([2]);
  });

  it("asks as its own holder has asked, whatever another task of the client has asked since", async () => {
    const asked: (readonly [string, "shared" | "exclusive" | undefined])[] = [];
    const driver: LockDriver = {
      connect: async () => ({
        acquire: async (key, { mode }) => {
          asked.push([key, mode]);
          return { type: "ok", value: { key, owner: `${asked.length}` } };
        },
        release: async () => ({ type: "ok", value: { released: true } }),
        [Symbol.asyncDispose]: async () => {},
      }),
    };
    const client = await alteredDriver(driver, probing).connect(environment);
    const of = (key: string, mode: "shared" | "exclusive") =>
      client.acquire(key, { ttlMs: 100, waitMs: 5, mode, signal: new AbortController().signal });
    await of("k1", "exclusive");
    await of("k2", "shared");
    expect(await client.release({ key: "k1", owner: "1" })).toMatchObject({ reason: probeReason("free") });
    expect(asked.at(-1)).toEqual(["k1", "exclusive"]);
    const stranger = await alteredDriver(driver, probing).connect(environment);
    expect(await stranger.release({ key: "k1", owner: "1" })).toMatchObject({ reason: probeReason("unclear") });
  });
});
