import { expect, test } from "vitest";
import { TestClient, TestClock, testServer } from "./testing/test-client.ts";

test("a field expires by itself, and replicas are told of its deletion", () => {
  const clock = new TestClock();
  const effects: string[] = [];
  const server = testServer(clock, { onEffects: (all) => effects.push(...all.map(({ argv }) => argv.join(" "))) });
  const client = new TestClient(server);
  client.run("hset h a 1 b 2");
  expect(client.run("hpexpire h 100 fields 1 a")).toBe("*1\r\n:1\r\n");
  clock.ms += 40;
  expect(client.run("hpttl h fields 3 a b c")).toBe("*3\r\n:60\r\n:-1\r\n:-2\r\n");
  clock.ms += 61;
  expect(client.run("hget h a")).toBe("$-1\r\n");
  expect(client.run("hgetall h")).toBe("*2\r\n$1\r\nb\r\n$1\r\n2\r\n");
  expect(effects).toEqual(["hset h a 1 b 2", `HPEXPIREAT h ${clock.ms - 1} fields 1 a`, "HDEL h a"]);
});

test("the background deletes fields, and the hash with its last one", () => {
  const clock = new TestClock();
  const server = testServer(clock);
  const client = new TestClient(server);
  client.run("hsetex h px 10 fields 2 a 1 b 2");
  clock.ms += 11;
  expect(server.activeExpire()).toBe(2);
  expect(client.run("exists h")).toBe(":0\r\n");
});

test("a copy of the data keeps the times", () => {
  const clock = new TestClock();
  const server = testServer(clock);
  new TestClient(server).run("hsetex h px 10 fields 1 a 1");
  const other = testServer(clock);
  other.restore(server.snapshot());
  expect(new TestClient(other).run("hpttl h fields 1 a")).toBe("*1\r\n:10\r\n");
  clock.ms += 11;
  expect(other.activeExpire()).toBe(1);
});

test("7.0 knows none of it", () => {
  const client = new TestClient(testServer(new TestClock(), { version: "7.0.15" }));
  expect(client.run("hpexpire h 100 fields 1 a")).toContain("unknown command 'hpexpire'");
});

test("a time without room for fields is refused as Redis does", () => {
  const client = new TestClient(testServer(new TestClock()));
  expect(client.run("hgetex h px 1 a")).toBe("-ERR wrong number of arguments for 'hgetex' command\r\n");
  expect(client.run("hgetex h px x a")).toBe("-ERR value is not an integer or out of range\r\n");
  expect(client.run("hgetex h persist a b")).toContain("Mandatory argument FIELDS");
});
