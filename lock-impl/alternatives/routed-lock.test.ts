import { afterEach, expect, it } from "vitest";
import type { LockClient } from "../../harness/core/lock-driver.ts";
import { type Behaviour, ScriptedServer } from "../testing/scripted-server.ts";
import { hashRing } from "./hash-ring.ts";
import { routedLock } from "./routed-lock.ts";

const NODES = 3;
const ROUTE = hashRing(["node-0", "node-1", "node-2"])("k");
const [HOME = 0, NEXT = 0] = ROUTE;
const AWAY_MS = 1_500;
/** A server of this very process that does not answer for so long is silent, however busy the machine is. */
const PATIENT = { commandMs: 1_000, silenceMs: 1_000, connectMs: 10_000, reconnectMs: 20 };
const once = { ttlMs: 10_000, waitMs: 0, signal: new AbortController().signal };
const waits = { timeout: 30_000, interval: 20 };

const set = { reply: "+OK\r\n" };
const held: Behaviour = { reply: "$-1\r\n" };
const one = { reply: ":1\r\n" };

let disposables = new AsyncDisposableStack();
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

/** A client of three servers, all of which grant; `home` changes the answer of the key's own server. */
async function start(routing: { readonly awayMs?: number }, home?: Behaviour) {
  const grants = ([name]: readonly string[]): Behaviour => (name === "SET" ? set : one);
  const servers: ScriptedServer[] = [];
  for (let index = 0; index < NODES; index += 1) servers.push(disposables.use(await ScriptedServer.listen(grants)));
  const serverAt = (index: number): ScriptedServer => {
    const server = servers[index];
    if (server === undefined) throw new Error(`no server ${index}`);
    return server;
  };
  if (home !== undefined) serverAt(HOME).behave = () => home;
  const nodes = servers.map(({ address }) => address);
  const lock = disposables.use(
    await routedLock({ ...routing, timeouts: PATIENT }).connect({
      client: "client-0",
      servers: { kind: "redlock", nodes },
    }),
  );
  const asked = (index: number): number => serverAt(index).received.filter(([name]) => name === "SET").length;
  return { lock, asked, home: serverAt(HOME), next: serverAt(NEXT), grants };
}

async function placeOf(lock: LockClient): Promise<string | undefined> {
  const completion = await lock.acquire("k", once);
  return completion.type === "ok" ? completion.value.place : completion.type;
}

it("asks the key's home alone, and says so", async () => {
  const { lock, asked } = await start({ awayMs: AWAY_MS });
  expect(await placeOf(lock)).toBe(`node-${HOME}`);
  expect(ROUTE.map(asked)).toEqual([1, 0, 0]);
});

it("takes no for an answer", async () => {
  const { lock, asked } = await start({ awayMs: AWAY_MS }, held);
  expect(await lock.acquire("k", once)).toMatchObject({ type: "fail", kind: "contended" });
  expect(ROUTE.map(asked)).toEqual([1, 0, 0]);
});

it.each(["silence", "break"] as const)(
  "goes to the next when its home answers with %s, and comes back",
  { tags: "long" },
  async (home) => {
    const { lock, asked, grants, ...servers } = await start({ awayMs: AWAY_MS }, home);
    expect(await placeOf(lock)).toBe(`node-${NEXT}`);
    const before = asked(HOME);
    expect(await placeOf(lock)).toBe(`node-${NEXT}`);
    expect(asked(HOME)).toBe(before);
    servers.home.behave = grants;
    await expect.poll(() => placeOf(lock), waits).toBe(`node-${HOME}`);
  },
);

it("extends and releases where it holds, though its home is back", async () => {
  const { lock, grants, ...servers } = await start({ awayMs: AWAY_MS }, "break");
  const first = await lock.acquire("k", once);
  if (first.type !== "ok") throw new Error(first.reason);
  servers.home.behave = grants;
  await expect.poll(() => placeOf(lock), waits).toBe(`node-${HOME}`);
  servers.next.received.length = 0;
  expect(await lock.extend?.(first.value, 5_000)).toMatchObject({ type: "ok", value: { place: `node-${NEXT}` } });
  expect(await lock.release(first.value)).toEqual({ type: "ok", value: { released: true } });
  expect(servers.next.received.map(([, , , , owner]) => owner)).toEqual([first.value.owner, first.value.owner]);
});

it("does not know when it may be left at home, and the next is held by another", async () => {
  const { lock, ...servers } = await start({ awayMs: AWAY_MS }, "silence");
  servers.next.behave = () => held;
  expect(await lock.acquire("k", once)).toMatchObject({ type: "info" });
});

it("stays at home where keys do not move: nobody gets the lock", async () => {
  const { lock, asked } = await start({}, "silence");
  expect(await lock.acquire("k", once)).toMatchObject({ type: "info" });
  expect(await lock.acquire("k", once)).not.toMatchObject({ type: "ok" });
  expect(ROUTE.slice(1).map(asked)).toEqual([0, 0]);
});
