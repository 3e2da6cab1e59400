import { expect, test } from "vitest";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import { encodeCommand } from "../redis/protocol/resp-encoder.ts";
import { RawClient } from "./testing/raw-client.ts";
import { SentinelWorld } from "./testing/sentinel-world.ts";

async function connected(): Promise<{ world: SentinelWorld; client: RawClient }> {
  const world = new SentinelWorld();
  await world.ready();
  return { world, client: await RawClient.connect(world, 0) };
}

test("commands that come in pieces or together are answered in order, in one piece", async () => {
  const { client } = await connected();
  client.write("*1\r\n$4\r\nPI");
  expect(await client.read()).toBe("");
  client.write(`NG\r\n${encodeCommand(["SENTINEL", "get-master-addr-by-name", MASTER_NAME])}PING inline\r\n`);
  expect(await client.read()).toBe("+PONG\r\n*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n$6\r\ninline\r\n");
});

test("bytes that are no protocol are answered with an error, and the connection ends", async () => {
  const { client } = await connected();
  client.write("*1\r\n:4\r\n");
  expect(await client.read()).toBe("-ERR Protocol error: expected '$', got ':'\r\n");
  expect(client.isClosed).toBe(true);
});

test("QUIT and RESET are unknown to a Sentinel", async () => {
  const { client } = await connected();
  expect(await client.ask("QUIT")).toBe("-ERR unknown command 'QUIT', with args beginning with: \r\n");
  expect(await client.ask("RESET", "a", "b")).toBe(
    "-ERR unknown command 'RESET', with args beginning with: 'a' 'b' \r\n",
  );
  expect(client.isClosed).toBe(false);
});

test("a subscriber in RESP2 may do nothing else", async () => {
  const { client } = await connected();
  expect(await client.ask("SUBSCRIBE", "a", "b")).toBe(
    "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n",
  );
  expect(await client.ask("SENTINEL", "masters")).toBe(
    "-ERR Can't execute 'sentinel|masters': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context\r\n",
  );
  expect(await client.ask("PING")).toBe("*2\r\n$4\r\npong\r\n$0\r\n\r\n");
  expect(await client.ask("UNSUBSCRIBE")).toBe(
    "*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$11\r\nunsubscribe\r\n$1\r\nb\r\n:0\r\n",
  );
  expect(await client.ask("PUNSUBSCRIBE")).toBe("*3\r\n$12\r\npunsubscribe\r\n$-1\r\n:0\r\n");
  expect(await client.ask("PING")).toBe("+PONG\r\n");
});

test("in RESP3 events are pushed, one that its own command causes after the answer", async () => {
  const { client } = await connected();
  expect(await client.ask("HELLO", "3", "SETNAME", "me")).toMatch(/^%6\r\n\$6\r\nserver\r\n/);
  expect(await client.ask("CLIENT", "GETNAME")).toBe("$2\r\nme\r\n");
  expect(await client.ask("PSUBSCRIBE", "+s*")).toBe(">3\r\n$10\r\npsubscribe\r\n$3\r\n+s*\r\n:1\r\n");
  const message = `master ${MASTER_NAME} 10.0.0.1 6379 quorum 2`;
  expect(await client.ask("SENTINEL", "SET", MASTER_NAME, "quorum", "2")).toBe(
    `+OK\r\n>4\r\n$8\r\npmessage\r\n$3\r\n+s*\r\n$4\r\n+set\r\n$${message.length}\r\n${message}\r\n`,
  );
});

test("CLIENT TRACKING is accepted, as libraries with a cache at the client ask every server for it", async () => {
  const { client } = await connected();
  expect(await client.ask("CLIENT", "TRACKING", "ON", "OPTOUT")).toBe("+OK\r\n");
  expect(await client.ask("CLIENT", "TRACKING", "ON", "OPTIN")).toMatch(/^-ERR You can't switch/);
  expect(await client.ask("CLIENT", "GETREDIR")).toBe(":0\r\n");
  expect(await client.ask("CLIENT", "CACHING", "NO")).toBe("+OK\r\n");
  expect(await client.ask("CLIENT", "TRACKING", "OFF")).toBe("+OK\r\n");
  expect(await client.ask("CLIENT", "TRACKINGINFO")).toContain("off");
});

test("a subscriber that is gone is told nothing, and CLIENT REPLY OFF is obeyed", async () => {
  const { world, client } = await connected();
  expect(await client.ask("CLIENT", "REPLY", "SKIP")).toBe("");
  expect(await client.ask("PING")).toBe("");
  expect(await client.ask("PING")).toBe("+PONG\r\n");
  expect(await client.ask("CLIENT", "REPLY", "OFF")).toBe("");
  expect(await client.ask("PING")).toBe("");
  expect(await client.ask("CLIENT", "REPLY", "ON")).toBe("+OK\r\n");
  const other = await RawClient.connect(world, 0, "other");
  expect(await other.ask("CLIENT", "LIST")).toMatch(/^\$\d+\r\n(id=.*\n){4}\r\n$/);
  await other.ask("SUBSCRIBE", "+set");
  other.write("*1\r\n:4\r\n");
  await other.read();
  expect(other.isClosed).toBe(true);
  await client.ask("SENTINEL", "SET", MASTER_NAME, "quorum", "2");
  expect(await client.ask("CLIENT", "LIST")).toMatch(/^\$\d+\r\n(id=.*\n){3}\r\n$/);
});

test("settings are checked; what precedes a mistake is done and kept", async () => {
  const { world, client } = await connected();
  const set = (...words: string[]): Promise<string> => client.ask("SENTINEL", "SET", MASTER_NAME, ...words);
  expect(await set("quorum", "0")).toBe("-ERR Invalid argument '0' for SENTINEL SET 'quorum'\r\n");
  expect(await set("parallel-syncs", "1", "colour", "1")).toBe(
    "-ERR Unknown option or number of arguments for SENTINEL SET 'colour'\r\n",
  );
  expect(world.sentinel(0).configuration.masters[0]?.parallelSyncs).toBe(1);
  expect(await client.ask("SENTINEL", "DEBUG", "tilt-period", "x")).toBe(
    "-ERR Invalid argument 'x' for SENTINEL DEBUG 'tilt-period'\r\n",
  );
  expect(await client.ask("SENTINEL", "RESET", "*storm")).toBe(":1\r\n");
  expect(world.said("+reset-master")).toHaveLength(1);
});
