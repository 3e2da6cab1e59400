import { describe, expect, test } from "vitest";
import { randomStream } from "../../../core/random.ts";
import { HarnessError } from "../../../core/errors.ts";
import type { Effect } from "../effects.ts";
import { createServer } from "../server.ts";
import { testServer, TestClient, TestClock } from "../testing/test-client.ts";

const LOCK = `#!lua name=locks
local function held(key, owner) return redis.call('get', key) == owner end
redis.register_function('lock', function(keys, args)
  return redis.call('set', keys[1], args[1], 'nx', 'px', args[2])
end)
redis.register_function{function_name = 'held', flags = {'no-writes'}, callback = function(keys, args)
  return held(keys[1], args[1])
end}`;

function newClient(): TestClient {
  return new TestClient(testServer(new TestClock()));
}

function load(client: TestClient, code: string, name = "l"): string {
  return client.command("function", "load", "replace", `#!lua name=${name}\n${code}`);
}

describe("functions", () => {
  test("lock, and are found in either case", () => {
    const client = newClient();
    expect(client.command("function", "load", LOCK)).toBe("$5\r\nlocks\r\n");
    expect(client.run("fcall lock 1 k me 1000")).toBe("+OK\r\n");
    expect(client.run("fcall LOCK 1 k you 1000")).toBe("$-1\r\n");
    expect(client.run("fcall_ro held 1 k me")).toBe(":1\r\n");
    expect(client.run("fcall_ro lock 1 k me 1000")).toBe(
      "-ERR Can not execute a script with write flag using *_ro command.\r\n",
    );
  });

  test("that say they do not write may not", () => {
    const client = newClient();
    load(
      client,
      "redis.register_function{function_name='f', flags={'no-writes'}, callback=function() redis.call('set','a','b') end}",
    );
    expect(client.run("fcall f 0")).toBe(
      "-ERR Write commands are not allowed from read-only scripts. script: f, on @user_function:2.\r\n",
    );
  });

  test("keep what their library keeps, from call to call", () => {
    const client = newClient();
    load(client, "local n = 0\nredis.register_function('count', function() n = n + 1 return n end)");
    expect(client.run("fcall count 0")).toBe(":1\r\n");
    expect(client.run("fcall count 0")).toBe(":2\r\n");
    client.run("flushall");
    expect(client.run("fcall count 0")).toBe(":3\r\n");
  });

  test("stay usable after one of them has failed", () => {
    const client = newClient();
    load(client, "redis.register_function('f', function(keys, args)\n if args[1] then error('stop') end return 1 end)");
    expect(client.run("fcall f 0 x")).toBe("-ERR user_function:3: stop script: f, on @user_function:3.\r\n");
    expect(client.run("fcall f 0")).toBe(":1\r\n");
    expect(client.command("eval", "return 2", "0")).toBe(":2\r\n");
  });

  test("that do not end stop the simulation", () => {
    const client = newClient();
    load(client, "redis.register_function('f', function() while true do end end)");
    expect(() => client.run("fcall f 0")).toThrow(HarnessError);
  });
});

describe("libraries", () => {
  test("see only what registers functions while they are loaded", () => {
    const client = newClient();
    expect(load(client, "redis.call('get', 'k')")).toBe(
      "-ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'call'\r\n",
    );
    expect(load(client, "local s = string.len('a')")).toContain("nonexistent global variable 'string'");
    expect(load(client, "while true do end")).toBe("-ERR Error registering functions: ERR FUNCTION LOAD timeout\r\n");
    load(client, "local later = redis.register_function\nlater('f', function() later('g', later) end)");
    expect(client.run("fcall f 0")).toBe(
      "-ERR redis.register_function can only be called on FUNCTION LOAD command script: f, on @user_function:3.\r\n",
    );
  });

  test("that fail to load leave the old one", () => {
    const client = newClient();
    load(client, "redis.register_function('f', function() return 1 end)");
    expect(load(client, "return 1")).toBe("-ERR No functions registered\r\n");
    expect(load(client, "redis.register_function('F', function() return 2 end)", "other")).toBe(
      "-ERR Function F already exists\r\n",
    );
    expect(client.run("fcall f 0")).toBe(":1\r\n");
    load(client, "redis.register_function('g', function() return 3 end)");
    expect(client.run("fcall f 0")).toBe("-ERR Function not found\r\n");
    expect(client.run("fcall g 0")).toBe(":3\r\n");
  });

  test("with two names that differ in case alone can be deleted, although real servers end then", () => {
    const client = newClient();
    load(client, "redis.register_function('x', function() return 1 end)\nredis.register_function('X', function() end)");
    expect(client.run("fcall X 0")).toBe(":1\r\n");
    expect(client.run("function delete l")).toBe("+OK\r\n");
    expect(client.run("fcall x 0")).toBe("-ERR Function not found\r\n");
  });

  test("are replicated as they were loaded, and calls by their effects", () => {
    const effects: Effect[] = [];
    const server = createServer({
      nowUs: () => 1_700_000_000_000_000,
      random: randomStream(1, "test"),
      onEffects: (some) => effects.push(...some),
    });
    const client = new TestClient(server);
    client.command("function", "load", LOCK);
    client.run("fcall lock 1 k me 1000");
    client.run("fcall held 1 k me");
    client.run("function delete nonesuch");
    client.run("function delete locks");
    client.run("function flush async");
    expect(effects.map(({ argv }) => argv)).toEqual([
      ["function", "load", LOCK],
      ["SET", "k", "me", "PXAT", "1700000001000"],
      ["function", "delete", "locks"],
      ["function", "flush", "async"],
    ]);
    const replica = testServer(new TestClock());
    replica.apply(effects.slice(0, 2));
    expect(new TestClient(replica).run("fcall_ro held 1 k me")).toBe(":1\r\n");
  });

  test("are part of a snapshot, which replaces all others", () => {
    const client = newClient();
    client.command("function", "load", LOCK);
    const snapshot = client.session.server.snapshot();
    load(client, "redis.register_function('f', function() return 1 end)");
    client.session.server.restore(snapshot);
    expect(client.run("fcall f 0")).toBe("-ERR Function not found\r\n");
    expect(client.run("fcall held 1 k me")).toBe("$-1\r\n");
    expect(client.run("function stats")).toContain("libraries_count\r\n:1\r\n$15\r\nfunctions_count\r\n:2\r\n");
  });

  test("are not dumped: a simulation in which a lock asks for that ends", () => {
    const absent: string[] = [];
    const client = new TestClient(
      testServer(new TestClock(), { hooks: { absentCommand: (name) => absent.push(name) } }),
    );
    expect(client.run("function dump")).toBe("-ERR FUNCTION DUMP is not simulated\r\n");
    expect(client.run("function restore x")).toBe("-ERR FUNCTION RESTORE is not simulated\r\n");
    expect(absent).toEqual(["FUNCTION DUMP", "FUNCTION RESTORE"]);
  });
});
