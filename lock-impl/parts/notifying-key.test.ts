import { afterEach, describe, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { TIMEOUTS } from "./connection-options.ts";
import { notifyingKey } from "./notifying-key.ts";
import { type Behaviour, ScriptedServer } from "../testing/scripted-server.ts";

const timeouts = { ...TIMEOUTS, commandMs: 300, silenceMs: 400 };
const request = { key: "k", owner: "me", ttlMs: 2_000, inner: false };

const granted: Behaviour = { reply: "*2\r\n:7\r\n:0\r\n" };
const heldByAnother: Behaviour = { reply: "*2\r\n:-1\r\n:400\r\n" };
const one: Behaviour = { reply: ":1\r\n" };
const zero: Behaviour = { reply: ":0\r\n" };
const readOnly: Behaviour = { reply: "-READONLY You can't write against a read only replica.\r\n" };

let disposables = new AsyncDisposableStack();
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

/** A server that behaves in this order, the last for ever. */
async function serverThat(...behaviours: readonly Behaviour[]) {
  let next = 0;
  const server = disposables.use(
    await ScriptedServer.listen(() => {
      next += 1;
      return behaviours[Math.min(next, behaviours.length) - 1] ?? "silence";
    }),
  );
  const connection = disposables.use(new Connection({ kind: "address", address: server.address }, timeouts));
  await connection.whenReady(2_000);
  return { server, connection };
}

const sends = (server: ScriptedServer): number => server.received.length;

describe("acquiring", () => {
  it("tells how long the other's lease lasts", async () => {
    const { connection } = await serverThat(heldByAnother);
    expect(await notifyingKey.acquire(connection, request)).toEqual({
      type: "ok",
      value: { granted: false, heldForMs: 400 },
    });
  });

  it.each(["break", "silence"] as const)("asks again under the same owner value after %s", async (behaviour) => {
    const { server, connection } = await serverThat(behaviour, granted);
    expect(await notifyingKey.acquire(connection, request)).toEqual({ type: "ok", value: { granted: true, fence: 7 } });
    expect(new Set(server.received.map((command) => command[5]))).toEqual(new Set(["me"]));
    expect(sends(server)).toBe(2);
  });

  it("gives up after three times, and does not know", async () => {
    const { server, connection } = await serverThat("break");
    expect(await notifyingKey.acquire(connection, request)).toMatchObject({ type: "info" });
    expect(sends(server)).toBe(3);
  });

  it("does not ask again when its lease would be over", async () => {
    const { server, connection } = await serverThat("silence");
    expect(await notifyingKey.acquire(connection, { ...request, ttlMs: 100 })).toMatchObject({ type: "info" });
    expect(sends(server)).toBe(1);
  });

  it("still does not know when the second answer is a refusal to do anything", async () => {
    const { connection } = await serverThat("break", readOnly);
    expect(await notifyingKey.acquire(connection, request)).toMatchObject({ type: "info" });
  });
});

describe("freeing", () => {
  const release = { key: "k", owner: "me" };

  it("asks again when nobody knows, and is certain when it is found", async () => {
    const { server, connection } = await serverThat("break", one);
    expect(await notifyingKey.release(connection, release)).toEqual({ type: "ok", value: true });
    expect(sends(server)).toBe(2);
  });

  it("does not know when it is not found the second time: the first may have freed it", async () => {
    const { connection } = await serverThat("break", zero);
    expect(await notifyingKey.release(connection, release)).toMatchObject({ type: "info" });
  });

  it("is not ours when it is not found the first time", async () => {
    const { connection } = await serverThat(zero);
    expect(await notifyingKey.release(connection, release)).toEqual({ type: "ok", value: false });
  });

  it("waits for a connection when there is none", async () => {
    const { server, connection } = await serverThat(one);
    server.breakConnections();
    expect(await notifyingKey.release(connection, release)).toEqual({ type: "ok", value: true });
  });
});
