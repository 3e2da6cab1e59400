import { expect, test } from "vitest";
import { TestClient, TestClock, testServer } from "./testing/test-client.ts";

function client(version?: "7.0.15"): TestClient {
  return new TestClient(testServer(new TestClock(), version === undefined ? {} : { version }));
}

test("bits are counted from the highest of the first byte, and a string grows with them", () => {
  const redis = client();
  expect(redis.run("setbit k 7 1")).toBe(":0\r\n");
  expect(redis.run("setbit k 7 1")).toBe(":1\r\n");
  expect(redis.run("get k")).toBe("$1\r\n\u0001\r\n");
  expect(redis.run("setbit k 23 0")).toBe(":0\r\n");
  expect(redis.run("strlen k")).toBe(":3\r\n");
  expect(redis.run("getbit k 7")).toBe(":1\r\n");
  expect(redis.run("getbit k 1000")).toBe(":0\r\n");
});

test("a bit that is set already is neither propagated nor seen by who watches the key", () => {
  const effects: string[] = [];
  const server = testServer(new TestClock(), {
    onEffects: (all) => effects.push(...all.map(({ argv }) => argv.join(" "))),
  });
  const redis = new TestClient(server);
  redis.run("setbit k 3 1");
  redis.run("setbit k 3 1");
  expect(effects).toEqual(["setbit k 3 1"]);
});

test("bits are counted and found, by bytes or by bits, also from the end", () => {
  const redis = client();
  redis.run("set k foobar");
  expect(redis.run("bitcount k")).toBe(":26\r\n");
  expect(redis.run("bitcount k 1 1")).toBe(":6\r\n");
  expect(redis.run("bitcount k 5 30 bit")).toBe(":17\r\n");
  expect(redis.run("bitcount k -1 -1")).toBe(":4\r\n");
  expect(redis.run("bitpos k 0")).toBe(":0\r\n");
  expect(redis.run("bitpos k 1 8 -1 bit")).toBe(":9\r\n");
  redis.run("set full \u00ff\u00ff");
  expect(redis.run("bitpos full 0")).toBe(":16\r\n");
  expect(redis.run("bitpos full 0 0 -1")).toBe(":-1\r\n");
});

test("strings are combined bit by bit, the shorter one filled up with zeros", () => {
  const redis = client();
  redis.run("set a abc");
  redis.run("set b a");
  expect(redis.run("bitop and t a b")).toBe(":3\r\n");
  expect(redis.run("get t")).toBe("$3\r\na\0\0\r\n");
  expect(redis.run("bitop xor t a a b")).toBe(":3\r\n");
  expect(redis.run("get t")).toBe("$3\r\na\0\0\r\n");
  expect(redis.run("bitop or t nothing")).toBe(":0\r\n");
  expect(redis.run("exists t")).toBe(":0\r\n");
});

test("integers within a string wrap, saturate or refuse when they overflow", () => {
  const redis = client();
  const step = "incrby u2 100 1 overflow sat incrby u2 102 1 overflow fail incrby u2 104 1";
  for (let round = 0; round < 3; round += 1) redis.run(`bitfield k ${step}`);
  expect(redis.run(`bitfield k ${step}`)).toBe("*3\r\n:0\r\n:3\r\n$-1\r\n");
  expect(redis.run("bitfield k set i8 #1 -1 get u8 #1 get i8 #1")).toBe("*3\r\n:0\r\n:255\r\n:-1\r\n");
  expect(redis.run("bitfield_ro k get i64 0")).toMatch(/^\*1\r\n:/);
  expect(redis.run("bitfield_ro k set u8 0 1")).toBe("-ERR BITFIELD_RO only supports the GET subcommand\r\n");
});

test("7.0 looks the key up before it reads the range", () => {
  expect(client("7.0.15").run("bitcount nothing x y")).toBe(":0\r\n");
  expect(client().run("bitcount nothing x y")).toBe("-ERR value is not an integer or out of range\r\n");
});
