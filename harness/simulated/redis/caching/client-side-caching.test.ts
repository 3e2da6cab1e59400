import { expect, test } from "vitest";
import { testServer, TestClient, TestClock } from "../testing/test-client.ts";

const CHANGED = ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n";

function cachingClient(server: ReturnType<typeof testServer>, options = ""): TestClient {
  const client = new TestClient(server);
  client.run("hello 3");
  expect(client.run(`client tracking on${options}`)).toBe("+OK\r\n");
  return client;
}

test("who read a key is told once when another changes it, and again after reading it again", () => {
  const server = testServer(new TestClock());
  const reader = cachingClient(server, " optout");
  const writer = new TestClient(server);
  reader.run("get k");
  writer.run("set k 1");
  expect(reader.take()).toBe(CHANGED);
  writer.run("set k 2");
  expect(reader.take()).toBe("");
  reader.run("get k");
  writer.run("del k");
  expect(reader.take()).toBe(CHANGED);
});

test("a script's reads and changes count, and its connection is told after the reply", () => {
  const server = testServer(new TestClock());
  const holder = cachingClient(server);
  const take = "local r = redis.call('SET',KEYS[1],ARGV[1],'NX','PX',1000);redis.call('GET',KEYS[1]);return r";
  expect(holder.command("eval", take, "1", "k", "a")).toBe("+OK\r\n");
  const extend = "redis.call('PEXPIRE',KEYS[1],500);redis.call('GET',KEYS[1]);return 1";
  expect(holder.command("eval", extend, "1", "k")).toBe(`:1\r\n${CHANGED}`);
  expect(holder.run("del k")).toBe(`:1\r\n${CHANGED}`);
});

test("its own changes are not told to a connection that asked for that", () => {
  const server = testServer(new TestClock());
  const client = cachingClient(server, " noloop");
  client.run("get k");
  expect(client.run("set k 1")).toBe("+OK\r\n");
});

test("who read a key is told when it expires, and when everything is deleted", () => {
  const clock = new TestClock();
  const server = testServer(clock);
  const reader = cachingClient(server);
  reader.run("set k 1 px 10");
  reader.run("get k");
  clock.ms += 11;
  server.activeExpire();
  expect(reader.take()).toBe(CHANGED);
  new TestClient(server).run("flushall");
  expect(reader.take()).toBe(">2\r\n$10\r\ninvalidate\r\n_\r\n");
});

test("only those keys are tracked that OPTIN asks for, and not those that OPTOUT leaves out", () => {
  for (const [options, word] of [
    [" optin", "yes"],
    [" optout", "no"],
  ] as const) {
    const server = testServer(new TestClock());
    const reader = cachingClient(server, options);
    const isTold = (): boolean => {
      reader.run("get k");
      new TestClient(server).run("set k 1");
      return reader.take() !== "";
    };
    expect(reader.run(`client caching ${word}`)).toBe("+OK\r\n");
    expect([isTold(), isTold()]).toEqual([word === "yes", word === "no"]);
  }
});

test("a connection that went on to track nothing is told nothing", () => {
  const server = testServer(new TestClock());
  const reader = cachingClient(server);
  reader.run("get k");
  reader.run("client tracking off");
  new TestClient(server).run("set k 1");
  expect(reader.take()).toBe("");
});

test("a simulation in which a lock has messages redirected or broadcast ends, and names that", () => {
  const absent: string[] = [];
  const client = new TestClient(testServer(new TestClock(), { hooks: { absentCommand: (name) => absent.push(name) } }));
  expect(client.run("client tracking on bcast")).toBe("-ERR CLIENT TRACKING ON BCAST is not simulated\r\n");
  expect(client.run("client tracking on redirect 1")).toMatch(/^-ERR /);
  expect(absent).toEqual(["CLIENT TRACKING ON BCAST", "CLIENT TRACKING ON REDIRECT"]);
});
