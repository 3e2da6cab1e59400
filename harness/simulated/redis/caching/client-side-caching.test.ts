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

/** A message that these keys have changed. */
function changed(...keys: readonly string[]): string {
  return `>2\r\n$10\r\ninvalidate\r\n*${keys.length}\r\n${keys.map((key) => `$${key.length}\r\n${key}\r\n`).join("")}`;
}

test("who asked for broadcasts is told of each change, after the reply, in the order of the keys", () => {
  const server = testServer(new TestClock());
  const listener = cachingClient(server, " bcast");
  const writer = new TestClient(server);
  writer.run("mset z 1 k 1");
  expect(listener.take()).toBe(changed("k", "z"));
  writer.run("set k 2");
  expect(listener.take()).toBe(changed("k"));
  expect(listener.run("set k 3")).toBe(`+OK\r\n${changed("k")}`);
  writer.run("get k");
  listener.run("client tracking off");
  writer.run("set k 4");
  expect(listener.take()).toBe("");
});

test("and of keys with its prefixes alone, prefix by prefix", () => {
  const server = testServer(new TestClock());
  const listener = cachingClient(server, " bcast prefix user: prefix obj:");
  const writer = new TestClient(server);
  writer.run("mset user:2 1 obj:1 1 user:1 1 nope 1");
  expect(listener.take()).toBe(changed("obj:1") + changed("user:1", "user:2"));
  expect(listener.run("client tracking on bcast prefix user:7")).toBe(
    "-ERR Prefix 'user:7' overlaps with an existing prefix 'user:'. Prefixes for a single client must not overlap.\r\n",
  );
  expect(listener.run("client tracking on bcast prefix a prefix ab")).toBe(
    "-ERR Prefix 'a' overlaps with another provided prefix 'ab'. Prefixes for a single client must not overlap.\r\n",
  );
  expect(listener.run("client tracking on")).toMatch(/^-ERR You can't switch BCAST mode on\/off before /);
  expect(listener.run("client trackinginfo")).toContain("$5\r\nbcast\r\n$8\r\nredirect\r\n:0\r\n");
});

test("broadcasts leave out what the connection itself changed first, if it asked for that, and not what expired", () => {
  const clock = new TestClock();
  const server = testServer(clock);
  const listener = cachingClient(server, " bcast noloop");
  expect(listener.run("set k 1 px 10")).toBe("+OK\r\n");
  clock.ms += 11;
  expect(listener.run("get k")).toBe(`_\r\n${CHANGED}`);
  const reader = cachingClient(server, " noloop");
  reader.run("set j 1 px 10");
  reader.run("get j");
  clock.ms += 11;
  expect(reader.run("get j")).toBe("_\r\n");
});

test("messages are redirected to a connection with RESP3, or to one that subscribed to anything", () => {
  const server = testServer(new TestClock());
  const [told, tracker, writer] = [new TestClient(server), new TestClient(server), new TestClient(server)];
  const id = told.run("client id").slice(1).trim();
  const afterReading = (): string => {
    tracker.run("get k");
    writer.run("set k 1");
    return told.take();
  };
  expect(tracker.run(`client tracking on redirect ${id}`)).toBe("+OK\r\n");
  expect(tracker.run("client getredir")).toBe(`:${id}\r\n`);
  expect(afterReading()).toBe("");
  told.run("subscribe other");
  expect(afterReading()).toBe("*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n*1\r\n$1\r\nk\r\n");
  told.run("unsubscribe");
  told.run("hello 3");
  expect(afterReading()).toBe(CHANGED);
  tracker.run("get k");
  expect(told.run("set k 2")).toBe(`${CHANGED}+OK\r\n`);
  writer.run("flushall");
  expect(told.take()).toBe(">2\r\n$10\r\ninvalidate\r\n$-1\r\n");
});

test("a connection that redirects to one that is gone is told so", () => {
  const server = testServer(new TestClock());
  const told = new TestClient(server);
  const id = told.run("client id").slice(1).trim();
  const tracker = cachingClient(server, ` redirect ${id}`);
  tracker.run("get k");
  told.run("quit");
  new TestClient(server).run("set k 1");
  expect(tracker.take()).toBe(`>2\r\n$21\r\ntracking-redir-broken\r\n:${id}\r\n`);
  expect(tracker.run("client trackinginfo")).toContain("broken_redirect");
  expect(tracker.run("client list")).toContain(" flags=tR ");
  expect(tracker.run(`client tracking on redirect ${id}`)).toBe(
    "-ERR The client ID you want redirect to does not exist\r\n",
  );
  expect(tracker.run("client tracking on")).toBe("+OK\r\n");
  expect(tracker.run("client trackinginfo")).not.toContain("broken_redirect");
});
