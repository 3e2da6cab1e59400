import { PROXY_GAPS, ProxyRecording } from "./proxy-recording.ts";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { MessageTrigger } from "../../core/trigger.ts";
import { type PassedLink, WireProxy } from "./wire-proxy.ts";

const GET = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n";
const SET = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
const commands = new Map([
  ["get", [1, 1, 1] as const],
  ["set", [1, 1, 1] as const],
]);

let server: Server;
let served: Socket[];
let received: string;
let proxy: WireProxy;
let link: { -readonly [K in keyof PassedLink]: PassedLink[K] };
let client: Socket;
let read: string;
/** How the client's connection ended. */
let ended: Promise<"closed" | "reset">;
let reached: number[];
let released: PromiseWithResolvers<void>;

beforeEach(async () => {
  [served, received, read, reached, released] = [[], "", "", [], Promise.withResolvers()];
  // It answers each command with +OK.
  server = createServer((socket) => {
    served.push(socket.on("error", () => {}));
    socket.on("data", (bytes) => {
      received += String(bytes);
      for (const _ of String(bytes).matchAll(/\*/g)) socket.write("+OK\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = new WireProxy();
  link = {
    address: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    resets: 0,
    passage: () => Promise.resolve(),
  };
});

afterEach(async () => {
  client.destroy();
  await proxy[Symbol.asyncDispose]();
  for (const socket of served) socket.destroy();
  server.close();
});

test("a recording has what passed since the run began, with replies where they went on to the client", async () => {
  let time = 0;
  await proxy[Symbol.asyncDispose]();
  proxy = new WireProxy(new ProxyRecording(() => (time += 1)));
  await connectClient({ ...reply, count: 2 });
  client.write(GET);
  await expect.poll(() => read).toBe("+OK\r\n");
  expect(proxy.observed?.messages).toEqual([]);
  proxy.begin();
  client.write(SET + SET);
  await expect.poll(() => reached).toEqual([0]);
  await expect.poll(() => read).toBe("+OK\r\n".repeat(2));
  const set = { client: 0, server: "node-0", command: "SET", keys: ["k"], connection: "client-0>node-0#1" };
  expect(proxy.observed).toEqual({
    seenAt: "proxy",
    gaps: PROXY_GAPS,
    leftOut: 0,
    messages: [
      { ...set, count: 1, sentNs: 1, repliedNs: 3, reply: "OK" },
      { ...set, count: 2, sentNs: 2 },
    ],
  });
  released.resolve();
  await expect
    .poll(() => proxy.observed?.messages[1])
    .toEqual({ ...set, count: 2, sentNs: 2, repliedNs: 4, reply: "OK" });
});

async function connectClient(...triggers: readonly MessageTrigger[]): Promise<void> {
  const { host, port } = await proxy.open(0, { name: "node-0", commands }, link);
  expect(host).toBe("127.0.0.1");
  await proxy.watch(triggers, (index) => {
    reached.push(index);
    return released.promise;
  });
  client = connect(port, host);
  const how = Promise.withResolvers<"closed" | "reset">();
  client.on("data", (bytes) => (read += String(bytes)));
  client.on("error", () => how.resolve("reset")).on("close", () => how.resolve("closed"));
  ended = how.promise;
  await once(client, "connect");
}

const before: MessageTrigger = { moment: "before", command: "SET", key: "k", client: 0, server: "node-0" };
const reply: MessageTrigger = { ...before, moment: "reply" };

test("a command waits before the server has seen any of it, and what follows waits behind it", async () => {
  await connectClient(before);
  client.write(GET + SET + GET);
  await expect.poll(() => reached).toEqual([0]);
  await expect.poll(() => received).toBe(GET);
  released.resolve();
  await expect.poll(() => read).toBe("+OK\r\n".repeat(3));
  expect(received).toBe(GET + SET + GET);
});

test("only the k-th of the client's commands at the server that names the key counts", async () => {
  await connectClient({ ...before, count: 2 }, { ...before, key: "other" }, { ...before, client: 1 });
  client.write(SET);
  await expect.poll(() => read).toBe("+OK\r\n");
  expect(reached).toEqual([]);
  client.write(SET);
  await expect.poll(() => reached).toEqual([0]);
  expect(received).toBe(SET);
});

test("a command that waits is lost when its link closes", async () => {
  await connectClient(before);
  client.write(SET);
  await expect.poll(() => reached).toEqual([0]);
  await expect.poll(() => served).toHaveLength(1);
  let isOver = false;
  void ended.then(() => (isOver = true));
  served[0]?.destroy();
  await once(served[0] ?? client, "close");
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  // The client learns of it when the fault is recorded.
  expect(isOver).toBe(false);
  released.resolve();
  expect(await ended).toBe("reset");
  expect(received).toBe("");
});

test("a command that waits arrives when its client goes away", async () => {
  await connectClient(before);
  client.write(SET);
  await expect.poll(() => reached).toEqual([0]);
  client.destroy();
  released.resolve();
  await expect.poll(() => received).toBe(SET);
});

test("a reply waits before the client, though the server has done what it says", async () => {
  await connectClient(reply);
  client.write(GET + SET);
  await expect.poll(() => reached).toEqual([0]);
  expect(received).toBe(GET + SET);
  await expect.poll(() => read).toBe("+OK\r\n");
  released.resolve();
  await expect.poll(() => read).toBe("+OK\r\n+OK\r\n");
});

test("a reply that waits goes on waiting while the link holds it", async () => {
  const healed = Promise.withResolvers<void>();
  let asked = "";
  link.passage = (direction) => {
    asked = direction;
    return healed.promise;
  };
  await connectClient(reply);
  client.write(SET);
  await expect.poll(() => reached).toEqual([0]);
  released.resolve();
  await expect.poll(() => asked).toBe("downstream");
  expect(read).toBe("");
  healed.resolve();
  await expect.poll(() => read).toBe("+OK\r\n");
});

test("a reply that waits is lost when its link is reset, and not when its server dies", async () => {
  await connectClient(reply);
  client.write(SET);
  await expect.poll(() => reached).toEqual([0]);
  served[0]?.destroy();
  released.resolve();
  await expect.poll(() => read).toBe("+OK\r\n");
  expect(await ended).toBe("closed");

  [reached, read, released] = [[], "", Promise.withResolvers()];
  await connectClient(reply);
  client.write(SET);
  await expect.poll(() => reached).toEqual([0]);
  link.resets += 1;
  served[1]?.destroy();
  released.resolve();
  expect(await ended).toBe("reset");
  expect(read).toBe("");
});
