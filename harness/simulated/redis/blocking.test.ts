import { expect, test } from "vitest";
import { TestClient, TestClock, testServer } from "./testing/test-client.ts";

test("a connection that waits is served by the next push, and goes on with what came meanwhile", () => {
  const clock = new TestClock();
  const effects: string[] = [];
  const server = testServer(clock, { onEffects: (all) => effects.push(...all.map(({ argv }) => argv.join(" "))) });
  const [waiting, pushing] = [new TestClient(server), new TestClient(server)];
  expect(waiting.run("blpop q 0")).toBe("");
  expect(waiting.run("ping")).toBe("");
  expect(pushing.run("rpush q v")).toBe(":1\r\n");
  expect(waiting.take()).toBe("*2\r\n$1\r\nq\r\n$1\r\nv\r\n+PONG\r\n");
  expect(effects).toEqual(["rpush q v", "LPOP q"]);
});

test("its time ends by the server's clock", () => {
  const clock = new TestClock();
  const server = testServer(clock);
  const client = new TestClient(server);
  client.run("bzpopmin z 0.1");
  clock.ms += 100;
  server.enter(() => {});
  expect(client.take()).toBe("");
  clock.ms += 1;
  server.enter(() => {});
  expect(client.take()).toBe("*-1\r\n");
});

test("CLIENT UNBLOCK ends it as a time-out or as an error", () => {
  const server = testServer(new TestClock());
  const [waiting, other] = [new TestClient(server), new TestClient(server)];
  const { id } = waiting.session;
  waiting.run("blmove q r left right 0");
  expect(other.run(`client unblock ${id}`)).toBe(":1\r\n");
  expect(waiting.take()).toBe("*-1\r\n");
  waiting.run("blpop q 0");
  expect(other.run(`client unblock ${id} error`)).toBe(":1\r\n");
  expect(waiting.take()).toBe("-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n");
  expect(other.run(`client unblock ${id}`)).toBe(":0\r\n");
  expect(other.run("rpush q v")).toBe(":1\r\n");
  expect(waiting.take()).toBe("");
});

test("who disconnects takes nothing, and the next in line is served", () => {
  const server = testServer(new TestClock());
  const [first, second, pushing] = [new TestClient(server), new TestClient(server), new TestClient(server)];
  first.run("blpop q 0");
  second.run("blpop q 0");
  first.session.disconnect();
  pushing.run("rpush q v");
  expect(first.take()).toBe("");
  expect(second.take()).toBe("*2\r\n$1\r\nq\r\n$1\r\nv\r\n");
});

test("a server that becomes a replica refuses who waits, and closes the connection", () => {
  const server = testServer(new TestClock());
  const [waiting, other] = [new TestClient(server), new TestClient(server)];
  waiting.run("blpop q 0");
  other.run("replicaof 127.0.0.1 1");
  expect(waiting.take()).toBe(
    "-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)\r\n",
  );
  expect(waiting.closed).toBe(true);
});
