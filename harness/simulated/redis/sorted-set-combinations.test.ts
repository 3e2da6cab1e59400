import { expect, test } from "vitest";
import { TestClient, TestClock, testServer } from "./testing/test-client.ts";

test("the fair semaphore of Redis in Action: owners by time, their places by a counter", () => {
  const client = new TestClient(testServer(new TestClock()));
  for (const [owner, at] of [
    ["a", 100],
    ["b", 200],
    ["c", 300],
  ] as const) {
    client.run(`zadd times ${at} ${owner}`);
    client.run(`zadd places ${client.run("incr counter").slice(1).trim()} ${owner}`);
  }
  client.run("zremrangebyscore times -inf 100");
  expect(client.run("zinterstore places 2 places times weights 1 0")).toBe(":2\r\n");
  expect(client.run("zrange places 0 -1 withscores").split("\r\n")).toEqual(
    "*4 $1 b $1 2 $1 c $1 3".split(" ").concat(""),
  );
});

test("sums, minima and maxima of weighted scores; a plain set counts 1 each", () => {
  const client = new TestClient(testServer(new TestClock()));
  client.run("zadd a 1 x 2 y inf z");
  client.run("zadd b 10 x -inf z");
  client.run("sadd s x");
  const scored = (line: string): unknown => client.run(line).match(/(?<=\$\d+\r\n)\S+/g);
  expect(scored("zunion 2 a b weights 2 1 withscores")).toEqual(["z", "0", "y", "4", "x", "12"]);
  expect(scored("zinter 3 a b s aggregate min withscores")).toEqual(["x", "1"]);
  expect(scored("zunion 2 a b aggregate max withscores")).toEqual(["y", "2", "x", "10", "z", "inf"]);
  expect(scored("zdiff 2 a b withscores")).toEqual(["y", "2"]);
  expect(client.run("zintercard 2 a b limit 1")).toBe(":1\r\n");
  expect(client.run("zrangestore r a 0 1 rev")).toBe(":2\r\n");
  expect(scored("zrange r 0 -1")).toEqual(["y", "z"]);
});

test("an empty result deletes the target, and other clients are told", () => {
  const effects: string[] = [];
  const server = testServer(new TestClock(), {
    onEffects: (all) => effects.push(...all.map(({ argv }) => argv.join(" "))),
  });
  const client = new TestClient(server);
  client.run("zadd target 1 x");
  expect(client.run("zinterstore target 2 target none")).toBe(":0\r\n");
  expect(client.run("exists target")).toBe(":0\r\n");
  expect(client.run("zdiffstore target 1 none")).toBe(":0\r\n");
  expect(effects).toEqual(["zadd target 1 x", "zinterstore target 2 target none"]);
});

test.each([
  ["zunionstore t 0 a", "-ERR at least 1 input key is needed for 'zunionstore' command"],
  ["zunion 3 a b", "-ERR syntax error"],
  ["zinter 1 a weights x", "-ERR weight value is not a float"],
  ["zdiff 1 a weights 1", "-ERR syntax error"],
  ["zunionstore t 1 a withscores", "-ERR syntax error"],
  ["zintercard 1 a limit -1", "-ERR LIMIT can't be negative"],
  ["zrangestore t a 0 1 withscores", "-ERR syntax error"],
  ["zunion 1 text", "-WRONGTYPE Operation against a key holding the wrong kind of value"],
])("%s is refused", (line, error) => {
  const client = new TestClient(testServer(new TestClock()));
  client.run("set text x");
  expect(client.run(line)).toBe(`${error}\r\n`);
});
