import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { composeLock } from "./compose.ts";
import { TIMEOUTS } from "./connection-options.ts";
import type { LockClient, Servers } from "../../harness/core/lock-driver.ts";
import { redlockDrift } from "./lease.ts";
import { fencedKey, ownedKey } from "./protocol.ts";
import { type Behaviour, ScriptedServer } from "../testing/scripted-server.ts";

// Long enough that a busy machine does not look like a silent server.
const timeouts = { ...TIMEOUTS, commandMs: 500, silenceMs: 4_000 };
const options = { ttlMs: 10_000, waitMs: 0, signal: new AbortController().signal };

const set = { reply: "+OK\r\n" };
const held: Behaviour = { reply: "$-1\r\n" };
const one = { reply: ":1\r\n" };
const zero = { reply: ":0\r\n" };
const replica: Behaviour = { reply: "-READONLY You can't write against a read only replica.\r\n" };

let servers: ScriptedServer[];
let lock: LockClient;

/** A server's answers to SET NX PX, and to the scripts. */
function behaving(onSet: Behaviour, onScript: Behaviour): (command: readonly string[]) => Behaviour {
  return ([name]) => (name === "SET" ? onSet : onScript);
}

function commands(server: ScriptedServer | undefined): string[] {
  return (server?.received ?? []).map(([name]) => name ?? "");
}

async function start(behaviours: readonly ((command: readonly string[]) => Behaviour)[], fenced = false) {
  servers = await Promise.all(behaviours.map((behave) => ScriptedServer.listen(behave)));
  const [first] = servers;
  if (first === undefined) throw new Error("at least one server");
  const where: Servers =
    servers.length === 1
      ? { kind: "single", address: first.address }
      : { kind: "redlock", nodes: servers.map(({ address }) => address) };
  const driver = composeLock({
    protocol: fenced ? fencedKey : ownedKey,
    timeouts,
    ...(servers.length === 1 ? {} : { drift: redlockDrift }),
  });
  lock = await driver.connect({ client: "client-0", servers: where });
}

beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  await lock[Symbol.asyncDispose]();
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
});

describe("on one server", () => {
  it("is granted, for no longer than the TTL less what the request took", async () => {
    await start([behaving(set, one)]);
    const completion = await lock.acquire("k", options);
    expect(completion).toMatchObject({
      type: "ok",
      value: { key: "k", owner: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    if (completion.type !== "ok") return;
    expect(completion.value.validForMs).toBeLessThan(10_000);
    expect(completion.value.validForMs).toBeGreaterThan(9_000);
    expect(servers[0]?.received).toEqual([["SET", "k", completion.value.owner, "PX", "10000", "NX"]]);
  });

  it("takes another owner value each time", async () => {
    await start([behaving(held, zero)]);
    await lock.acquire("k", options);
    await lock.acquire("k", options);
    const sets = servers[0]?.received.filter(([name]) => name === "SET");
    const owners = sets?.map(([, , owner]) => owner);
    expect(new Set(owners).size).toBe(2);
  });

  it("is contended when it is held, and leaves the holder alone", async () => {
    await start([behaving(held, one)]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "fail", kind: "contended" });
    expect(commands(servers[0])).toEqual(["SET"]);
  });

  it("fails, and undoes nothing, when the server refused the command", async () => {
    await start([behaving(replica, one)]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "fail", kind: "error" });
    expect(commands(servers[0])).toEqual(["SET"]);
  });

  it("fails when the reply came too late to be heard and the lock was taken back", async () => {
    await start([behaving({ ...set, afterMs: 700 }, { ...one, afterMs: 250 })]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "fail", kind: "error" });
    expect(commands(servers[0])).toEqual(["SET", "EVALSHA"]);
  });

  it("is indeterminate when the lock that may have been set was not found: it may yet be set", async () => {
    await start([behaving({ ...set, afterMs: 700 }, { ...zero, afterMs: 250 })]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "info" });
  });

  it("is indeterminate when the connection broke before the reply", async () => {
    await start([behaving("break", one)]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "info" });
  });

  it("is indeterminate when no reply came, and tries to take the lock back", async () => {
    await start([behaving("silence", one)]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "info" });
  });

  it("refuses a grant that came too late, and frees it", async () => {
    await start([behaving(set, one)]);
    const completion = await lock.acquire("k", { ...options, ttlMs: 0.1 });
    // One millisecond of lease can only be over or nearly so.
    if (completion.type === "ok") expect(completion.value.validForMs).toBeGreaterThan(0);
    else expect(commands(servers[0])).toEqual(["SET", "EVALSHA"]);
  });

  it.each([
    ["was its own", one, { type: "ok", value: { released: true } }],
    ["was not its own any more", zero, { type: "ok", value: { released: false } }],
    ["cannot be changed there", replica, { type: "fail", kind: "error" }],
    ["is not answered", "silence" as const, { type: "info" }],
  ])("releases a lock that %s", async (_, onScript, expected) => {
    await start([behaving(set, onScript)]);
    expect(await lock.release({ key: "k", owner: "o" })).toMatchObject(expected);
  });

  it("extends, and reports the new validity", async () => {
    await start([behaving(set, one)]);
    const completion = await lock.extend?.({ key: "k", owner: "o", validForMs: 10 }, 5_000);
    expect(completion).toMatchObject({ type: "ok", value: { owner: "o", validForMs: expect.any(Number) } });
    if (completion?.type === "ok") expect(completion.value.validForMs).toBeGreaterThan(4_000);
  });

  it("tells that a lease is lost when it cannot be extended", async () => {
    await start([behaving(set, zero)]);
    const lost: unknown[] = [];
    lock.onLost?.((notice) => lost.push(notice));
    expect(await lock.extend?.({ key: "k", owner: "o" }, 5_000)).toMatchObject({ type: "fail", kind: "error" });
    expect(lost).toEqual([{ key: "k", owner: "o" }]);
  });

  it("carries the fencing token that the script minted", async () => {
    await start([() => ({ reply: ":7\r\n" })], true);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "ok", value: { fence: 7 } });
    expect(servers[0]?.received[0]?.slice(2, 5)).toEqual(["2", "k", "{k}:fence"]);
  });

  it("is contended when the fenced script says -1", async () => {
    await start([() => ({ reply: ":-1\r\n" })], true);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "fail", kind: "contended" });
  });
});

describe("on five servers", () => {
  const granting = behaving(set, one);
  const holding = behaving(held, zero);
  const silent = behaving("silence", one);

  it("is granted by three, with drift allowed for, under one owner value", async () => {
    await start([granting, granting, granting, holding, holding]);
    const completion = await lock.acquire("k", options);
    expect(completion).toMatchObject({ type: "ok" });
    if (completion.type !== "ok") return;
    expect(completion.value.validForMs).toBeLessThan(10_000 - 102);
    expect(new Set(servers.map(({ received }) => received[0]?.[2]))).toEqual(new Set([completion.value.owner]));
  });

  it("is not granted by two, and is taken back from all five", async () => {
    await start([granting, granting, holding, holding, holding]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "fail", kind: "contended" });
    expect(servers.map(commands)).toEqual(servers.map(() => ["SET", "EVALSHA"]));
  });

  it("is granted though two do not answer, each given up after its time-out", async () => {
    await start([granting, granting, granting, silent, silent]);
    const completion = await lock.acquire("k", options);
    expect(completion).toMatchObject({ type: "ok" });
    if (completion.type === "ok") expect(completion.value.validForMs).toBeLessThan(10_000 - 102 - 495);
  });

  it("is refused when the majority came, but too late", async () => {
    await start([granting, granting, granting, silent, silent]);
    expect(await lock.acquire("k", { ...options, ttlMs: 400 })).toMatchObject({ type: "fail", kind: "error" });
    expect(servers.slice(0, 3).map(commands)).toEqual([1, 2, 3].map(() => ["SET", "EVALSHA"]));
  });

  it("is indeterminate when those that did not answer could make a majority", async () => {
    await start([granting, silent, silent, silent, holding]);
    expect(await lock.acquire("k", options)).toMatchObject({ type: "info" });
  });

  it("counts a release only when a majority had the lock", async () => {
    await start([granting, granting, granting, holding, holding]);
    expect(await lock.release({ key: "k", owner: "o" })).toEqual({ type: "ok", value: { released: true } });
    expect(servers.every(({ received }) => received.length === 1)).toBe(true);
  });

  it("does not know, after a release, whether a minority that had the lock was all that was left of it", async () => {
    await start([granting, granting, holding, holding, holding]);
    expect(await lock.release({ key: "k", owner: "o" })).toMatchObject({ type: "info" });
    for (const server of servers) server.behave = holding;
    expect(await lock.release({ key: "k", owner: "o" })).toEqual({ type: "ok", value: { released: false } });
  });

  it("counts an extension only when a majority had the lock", async () => {
    await start([granting, granting, granting, holding, holding]);
    expect(await lock.extend?.({ key: "k", owner: "o" }, 10_000)).toMatchObject({ type: "ok" });
    const [, , third] = servers;
    if (third !== undefined) third.behave = holding;
    expect(await lock.extend?.({ key: "k", owner: "o" }, 10_000)).toMatchObject({ type: "fail", kind: "error" });
  });
});
