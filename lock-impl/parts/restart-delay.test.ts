import { afterEach, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { ownedKey } from "./protocol.ts";
import { RestartDelay } from "./restart-delay.ts";
import { ScriptedServer } from "../testing/scripted-server.ts";

const request = { key: "k", owner: "me", ttlMs: 1_000, inner: false };

let disposables = new AsyncDisposableStack();
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

async function serverUpFor(seconds: number | undefined) {
  const server = disposables.use(await ScriptedServer.listen(() => ({ reply: "+OK\r\n" })));
  const info = seconds === undefined ? "role:master" : `role:master\r\nuptime_in_seconds:${seconds}`;
  server.info = info;
  const connection = disposables.use(new Connection({ kind: "address", address: server.address }));
  await connection.whenReady(2_000);
  return { server, connection };
}

it("lets a server take part that has been up for longer than the longest lease", async () => {
  const { connection } = await serverUpFor(12);
  expect(await new RestartDelay(10_000).guard(ownedKey).acquire(connection, request)).toMatchObject({ type: "ok" });
});

it.each([0, 5, 10])("keeps a server out that has been up for %i s, when leases may last ten", async (seconds) => {
  const { connection, server } = await serverUpFor(seconds);
  const delay = new RestartDelay(10_000);
  expect(await delay.guard(ownedKey).acquire(connection, request)).toMatchObject({ type: "fail", kind: "error" });
  expect(server.received).toEqual([]);
  const usableInMs = await delay.usableInMs(connection);
  if (usableInMs.type !== "ok") throw new Error(usableInMs.reason);
  expect(usableInMs.value).toBeGreaterThan(10_000 - (seconds - 1) * 1_000 - 500);
});

it("keeps a server out that does not say how long it is up", async () => {
  const { connection } = await serverUpFor(undefined);
  expect(await new RestartDelay(10_000).guard(ownedKey).acquire(connection, request)).toMatchObject({ type: "fail" });
});

it("asks again on each connection", async () => {
  const { connection, server } = await serverUpFor(100);
  const guarded = new RestartDelay(10_000).guard(ownedKey);
  expect(await guarded.acquire(connection, request)).toMatchObject({ type: "ok" });
  server.info = "role:master\r\nuptime_in_seconds:0";
  const { session } = connection;
  server.breakConnections();
  await expect.poll(() => connection.session, { timeout: 2_000, interval: 5 }).toBe(session + 1);
  expect(await guarded.acquire(connection, request)).toMatchObject({ type: "fail" });
});

it("refuses a lease that is longer than the longest", async () => {
  const { connection } = await serverUpFor(100);
  const guarded = new RestartDelay(10_000).guard(ownedKey);
  expect(await guarded.acquire(connection, { ...request, ttlMs: 10_001 })).toMatchObject({ type: "fail" });
});

it.each(["release", "extend"] as const)(
  "does not take a young server's word that there is nothing to %s",
  async (what) => {
    const held = { ...request, atLeast: false };
    const zero = { reply: ":0\r\n" };
    const young = await serverUpFor(0);
    young.server.behave = () => zero;
    expect(await new RestartDelay(10_000).guard(ownedKey)[what]?.(young.connection, held)).toMatchObject({
      type: "info",
    });
    const old = await serverUpFor(100);
    old.server.behave = () => zero;
    expect(await new RestartDelay(10_000).guard(ownedKey)[what]?.(old.connection, held)).toEqual({
      type: "ok",
      value: false,
    });
  },
);

it("allows freeing everywhere", async () => {
  const { connection, server } = await serverUpFor(0);
  server.behave = () => ({ reply: ":1\r\n" });
  const freed = await new RestartDelay(10_000).guard(ownedKey).release(connection, request);
  expect(freed).toEqual({ type: "ok", value: true });
});

it("asks anew, when a client connects, servers that did not say how long they are up", async () => {
  const servers = await Promise.all([undefined, undefined, 100].map(serverUpFor));
  const ready = new RestartDelay(10_000).untilMajorityUsable(servers.map(({ connection }) => connection));
  const early = await Promise.race([ready.then(() => "ready"), servers[0]!.connection.command("PING")]);
  expect(early).not.toBe("ready");
  servers[0]!.server.info = "uptime_in_seconds:100";
  await ready;
});
