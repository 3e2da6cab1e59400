import { beforeEach, describe, expect, test } from "vitest";
import { TestClient, TestClock, testServer } from "./testing/test-client.ts";
import type { RedisServer } from "./server.ts";

let clock: TestClock;
let effects: string[];
let server: RedisServer;
let replica: RedisServer;
let client: TestClient;

beforeEach(() => {
  clock = new TestClock();
  effects = [];
  replica = testServer(clock);
  server = testServer(clock, {
    onEffects: (all) => {
      effects.push(...all.map(({ argv }) => argv.join(" ")));
      replica.apply(all);
    },
  });
  client = new TestClient(server);
});

/** A reply without the lengths of its parts. */
function run(line: string, by = client): string {
  return by
    .run(line)
    .replaceAll(/\$\d+\r\n/g, "")
    .replaceAll("\r\n", " ")
    .trim();
}

describe("consumers of a group", () => {
  beforeEach(() => {
    run("xgroup create s g $ mkstream");
    for (const id of ["1-1", "2-1", "3-1"]) run(`xadd s ${id} f v`);
    effects.length = 0;
  });

  test("share the entries, which stay pending until they are acknowledged", () => {
    expect(run("xreadgroup group g alice count 2 streams s >")).toBe("*1 *2 s *2 *2 1-1 *2 f v *2 2-1 *2 f v");
    expect(run("xreadgroup group g bob streams s >")).toBe("*1 *2 s *1 *2 3-1 *2 f v");
    expect(run("xreadgroup group g bob streams s >")).toBe("*-1");
    expect(run("xpending s g")).toBe("*4 :3 1-1 3-1 *2 *2 alice 2 *2 bob 1");
    expect(run("xack s g 1-1 3-1 9-9")).toBe(":2");
    expect(run("xpending s g - + 9")).toBe("*1 *4 2-1 alice :0 :1");
  });

  test("are given their own pending entries again, by ID; one that was deleted has no fields", () => {
    run("xreadgroup group g alice streams s >");
    run("xdel s 2-1");
    expect(run("xreadgroup group g alice streams s 1-1")).toBe("*1 *2 s *2 *2 2-1 *-1 *2 3-1 *2 f v");
    expect(run("xreadgroup group g bob streams s 0")).toBe("*1 *2 s *0");
    expect(run("xpending s g - + 9 alice")).toBe("*3 *4 1-1 alice :0 :1 *4 2-1 alice :0 :1 *4 3-1 alice :0 :2");
  });

  test("leave nothing pending with NOACK", () => {
    run("xreadgroup group g alice noack streams s >");
    expect(run("xpending s g")).toBe("*4 :0 $-1 $-1 *-1");
  });

  test("tell replicas the outcome of a read, not the read", () => {
    run("xreadgroup group g alice count 1 streams s >");
    expect(effects).toEqual([
      "MULTI",
      `XCLAIM s g alice 0 1-1 TIME ${clock.ms} RETRYCOUNT 1 FORCE JUSTID LASTID 1-1`,
      "XGROUP SETID s g 1-1 ENTRIESREAD 1",
      "EXEC",
    ]);
    clock.ms += 5;
    run("xreadgroup group g bob noack count 1 streams s >");
    run("xclaim s g carol 1 1-1");
    run("xinfo stream s full");
    expect(run("xinfo stream s full", new TestClient(replica))).toBe(run("xinfo stream s full"));
  });

  test("take over what another has left pending for long enough", () => {
    run("xreadgroup group g alice streams s >");
    clock.ms += 500;
    expect(run("xclaim s g bob 501 1-1")).toBe("*0");
    expect(run("xclaim s g bob 500 1-1 7-7")).toBe("*1 *2 1-1 *2 f v");
    expect(run("xclaim s g bob 0 2-1 justid retrycount 5")).toBe("*1 2-1");
    expect(run("xpending s g - + 9 bob")).toBe("*2 *4 1-1 bob :0 :2 *4 2-1 bob :0 :5");
    run("xdel s 3-1");
    expect(run("xautoclaim s g carol 0 0 count 1")).toBe("*3 2-1 *1 *2 1-1 *2 f v *0");
    expect(run("xautoclaim s g carol 0 2-1 justid")).toBe("*3 0-0 *1 2-1 *1 3-1");
    expect(run("xpending s g")).toBe("*4 :2 1-1 2-1 *1 *2 carol 2");
  });

  test("go, and with them what was pending for them", () => {
    run("xreadgroup group g alice count 2 streams s >");
    expect(run("xgroup delconsumer s g alice")).toBe(":2");
    expect(run("xgroup delconsumer s g alice")).toBe(":0");
    expect(run("xgroup createconsumer s g alice")).toBe(":1");
    expect(run("xgroup createconsumer s g alice")).toBe(":0");
    expect(run("xpending s g")).toBe("*4 :0 $-1 $-1 *-1");
    expect(run("xgroup setid s g 0")).toBe("+OK");
    expect(run("xreadgroup group g alice count 1 streams s >")).toBe("*1 *2 s *1 *2 1-1 *2 f v");
    expect(run("xgroup destroy s g")).toBe(":1");
    expect(run("xgroup destroy s g")).toBe(":0");
  });

  test("are shown by XINFO", () => {
    run("xreadgroup group g alice count 1 streams s >");
    clock.ms += 7;
    expect(run("xinfo groups s")).toBe(
      "*1 *12 name g consumers :1 pending :1 last-delivered-id 1-1 entries-read :1 lag :2",
    );
    expect(run("xinfo consumers s g")).toBe("*1 *8 name alice pending :1 idle :7 inactive :7");
  });

  test("belong to a copy of the stream, which shares nothing with it", () => {
    run("xreadgroup group g alice streams s >");
    run("copy s t");
    run("xack s g 1-1 2-1 3-1");
    expect(run("xpending t g")).toBe("*4 :3 1-1 3-1 *1 *2 alice 3");
  });

  test("that wait are served in turn by new entries, and told when their group is gone", () => {
    const [alice, bob] = [new TestClient(server), new TestClient(server)];
    run("xreadgroup group g alice streams s >");
    run("xreadgroup group g alice block 0 streams s >", alice);
    run("xreadgroup group g bob block 0 streams s >", bob);
    run("xadd s 4-1 f v");
    expect(alice.take()).toContain("4-1");
    expect(bob.take()).toBe("");
    run("xadd s 5-1 f v");
    expect(bob.take()).toContain("5-1");
    run("xreadgroup group g bob block 0 streams s >", bob);
    run("del s");
    expect(bob.take()).toBe("-NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option\r\n");
  });
});

test.each([
  ["xgroup create k g $", "-ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to"],
  ["xgroup create s g $", "-BUSYGROUP Consumer Group name already exists"],
  ["xgroup create s g2 x", "-ERR Invalid stream ID specified as stream command argument"],
  ["xgroup setid s other $", "-NOGROUP No such consumer group 'other' for key name 's'"],
  [
    "xgroup create s g $ 1 2 3 4",
    "-ERR unknown subcommand or wrong number of arguments for 'create'. Try XGROUP HELP.",
  ],
  ["xgroup wrong s g", "-ERR unknown subcommand 'wrong'. Try XGROUP HELP."],
  ["xreadgroup group g c streams s $", "-ERR The $ ID is meaningless in the context of XREADGROUP"],
  [
    "xreadgroup group h c streams s >",
    "-NOGROUP No such key 's' or consumer group 'h' in XREADGROUP with GROUP option",
  ],
  ["xreadgroup count 1 noack streams s >", "-ERR Missing GROUP option for XREADGROUP"],
  ["xread group g c streams s >", "-ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead."],
  ["xread streams s >", "-ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group>"],
  ["xpending s h", "-NOGROUP No such key 's' or consumer group 'h'"],
  ["xpending s g - +", "-ERR syntax error"],
  ["xclaim s g c x 1-1", "-ERR Invalid min-idle-time argument for XCLAIM"],
  ["xclaim s g c 0 1-1 never", "-ERR Unrecognized XCLAIM option 'never'"],
  ["xautoclaim s g c 0 0 count 0", "-ERR COUNT must be > 0"],
  ["xinfo consumers s h", "-NOGROUP No such consumer group 'h' for key name 's'"],
  ["xinfo groups k", "-ERR no such key"],
  ["xinfo stream s half", "-ERR unknown subcommand or wrong number of arguments for 'stream'. Try XINFO HELP."],
  ["xsetid s 0-0 entriesadded -1", "-ERR entries_added must be positive"],
  ["xack t g 1-1", "-WRONGTYPE Operation against a key holding the wrong kind of value"],
])("%s is refused as a real server refuses it", (line, error) => {
  run("xgroup create s g $ mkstream");
  run("set t text");
  expect(run(line).slice(0, error.length)).toBe(error);
});

test("7.0 tells a waiting consumer of a stream that goes in other words", () => {
  const old = testServer(clock, { version: "7.0.15" });
  const [waiting, other] = [new TestClient(old), new TestClient(old)];
  other.run("xgroup create s g $ mkstream");
  waiting.run("xreadgroup group g c block 0 streams s >");
  other.run("xgroup destroy s g");
  expect(waiting.take()).toBe("-NOGROUP the consumer group this client was blocked on no longer exists\r\n");
  other.run("xgroup create s g $");
  waiting.run("xreadgroup group g c block 0 streams s >");
  other.run("set s text");
  expect(waiting.take()).toBe("-UNBLOCKED the stream key no longer exists\r\n");
});
