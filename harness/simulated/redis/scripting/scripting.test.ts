import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { HarnessError } from "../../../core/errors.ts";
import { testServer, TestClient, TestClock } from "../testing/test-client.ts";

function newClient(version: "8.0.2" | "7.0.15" = "8.0.2"): TestClient {
  return new TestClient(testServer(new TestClock(), { version }));
}

describe("scripts", () => {
  test("compare and delete", () => {
    const client = newClient();
    const script = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    client.run("set lock me");
    expect(client.command("eval", script, "1", "lock", "you")).toBe(":0\r\n");
    expect(client.command("eval", script, "1", "lock", "me")).toBe(":1\r\n");
    expect(client.run("exists lock")).toBe(":0\r\n");
  });

  test("see one time, however long they run", () => {
    const clock = new TestClock();
    const server = testServer(clock, { hooks: { log: () => (clock.ms += 1000) } });
    const client = new TestClient(server);
    client.run("set k v px 10");
    const script = "redis.log(redis.LOG_WARNING, 'a second passes') return redis.call('get', KEYS[1])";
    expect(client.command("eval", script, "1", "k")).toBe("$1\r\nv\r\n");
    expect(client.run("get k")).toBe("$-1\r\n");
  });

  test("that do not end stop the simulation, not just themselves", () => {
    expect(() => newClient().command("eval", "while true do end", "0")).toThrow(HarnessError);
    expect(() => newClient().command("eval", "pcall(function() while true do end end)", "0")).toThrow(HarnessError);
    expect(() => newClient().command("eval", "table.insert({}, -2^31, 1)", "0")).toThrow(HarnessError);
  });

  test("stay usable for the next after one has failed", () => {
    const client = newClient();
    expect(client.command("eval", "redis.call('set', 'k', 1) error('stop')", "0")).toMatch(
      /^-ERR user_script:1: stop script: /,
    );
    expect(client.command("eval", "return redis.call('get', 'k')", "0")).toBe("$1\r\n1\r\n");
  });

  test(
    "by EVAL are forgotten beyond 500, the longest unused first; loaded ones stay; 7.0 keeps all",
    { tags: "long" },
    () => {
      const client = newClient();
      const loaded = client.command("script", "load", "return 'loaded'").slice(5, 45);
      for (let index = 0; index < 500; index += 1) client.command("eval", `return ${index}`, "0");
      const exists = (script: string): string => client.command("script", "exists", shaOf(script));
      client.command("eval", "return 0", "0");
      expect(exists("return 1")).toBe("*1\r\n:1\r\n");
      client.command("eval", "return 'one more'", "0");
      expect(exists("return 0")).toBe("*1\r\n:1\r\n");
      expect(exists("return 1")).toBe("*1\r\n:0\r\n");
      expect(client.command("evalsha", loaded, "0")).toBe("$6\r\nloaded\r\n");
      const old = newClient("7.0.15");
      for (let index = 0; index < 510; index += 1) old.command("eval", `return ${index}`, "0");
      expect(old.command("script", "exists", shaOf("return 0"))).toBe("*1\r\n:1\r\n");
    },
  );

  test("draw the numbers of a freshly started real server, going on from script to script", () => {
    const client = newClient();
    const script = "return {math.random(10), math.random(10), math.random(10)}";
    expect(client.command("eval", script, "0")).toBe("*3\r\n:4\r\n:9\r\n:4\r\n");
    client.run("script flush");
    expect(client.command("eval", script, "0")).toBe("*3\r\n:5\r\n:4\r\n:9\r\n");
  });
});

function shaOf(script: string): string {
  return createHash("sha1").update(script).digest("hex");
}
