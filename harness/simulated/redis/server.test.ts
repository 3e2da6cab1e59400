import { describe, expect, test } from "vitest";
import type { Effect } from "./effects.ts";
import { EffectStream } from "./effects.ts";
import { testServer, TestClient, TestClock } from "./testing/test-client.ts";
import type { WaitRequest } from "./world-hooks.ts";

function recorded(effects: readonly (readonly Effect[])[]): string[] {
  return effects.map((unit) => unit.map(({ argv }) => argv.join(" ")).join("; "));
}

describe("effects", () => {
  test("times are absolute, expiry is a deletion, and a transaction stays together", () => {
    const clock = new TestClock();
    const units: (readonly Effect[])[] = [];
    const client = new TestClient(testServer(clock, { onEffects: (effects) => units.push(effects) }));
    client.run("set lock me nx px 100");
    client.run("set lock you nx px 100");
    client.run("pexpire lock 200");
    clock.ms += 201;
    client.run("get lock");
    for (const line of ["multi", "set a 1", "incr a", "get a", "exec"]) client.run(line);
    client.command("eval", "redis.call('set', 'x', 1) redis.call('get', 'x') return redis.call('del', 'x')", "0");
    client.run("get a");
    client.run("publish c m");
    expect(recorded(units)).toEqual([
      `SET lock me PXAT ${clock.ms - 101}`,
      `PEXPIREAT lock ${clock.ms - 1}`,
      "DEL lock",
      "MULTI; set a 1; incr a; EXEC",
      "MULTI; set x 1; del x; EXEC",
      "publish c m",
    ]);
    expect(units.at(-1)?.[0]).toMatchObject({ toReplicas: true, toFile: false });
  });

  test("of a transaction over two databases end in that of the last command: in 7.0 no SELECT stands before EXEC", () => {
    const texts = (["7.0.15", "8.0.2"] as const).map((version) => {
      const stream = new EffectStream();
      let text = "";
      const onEffects = (effects: readonly Effect[]): void => void (text += stream.encode(effects, "replicas"));
      const client = new TestClient(testServer(new TestClock(), { version, onEffects }));
      for (const line of ["multi", "set a 1", "select 1", "set b 1", "exec"]) client.run(line);
      return text.match(/[A-Z]{4,6}|set/g)?.join(" ");
    });
    expect(texts).toEqual(["SELECT MULTI set SELECT set EXEC", "MULTI SELECT set SELECT set EXEC"]);
  });

  test("come before the reply they belong to", () => {
    const order: string[] = [];
    const server = testServer(new TestClock(), { onEffects: () => order.push("effects") });
    const session = server.connect({ onOutput: () => order.push("reply") });
    session.receive(Buffer.from("set a 1\r\nset b 1\r\n"));
    expect(order).toEqual(["effects", "effects", "reply"]);
  });

  test("as a stream name the database where it changes", () => {
    const stream = new EffectStream();
    const effect = (database: number, ...argv: string[]): Effect => ({
      database,
      argv,
      toReplicas: true,
      toFile: false,
    });
    const text = stream.encode([effect(-1, "MULTI"), effect(0, "A"), effect(0, "B"), effect(1, "C")], "replicas");
    expect(text.match(/[A-Z]{1,6}(?=\r\n)/g)).toEqual(["MULTI", "SELECT", "A", "B", "SELECT", "C"]);
    expect(stream.encode([effect(1, "D")], "file")).toBe("");
  });
});

describe("a replica", () => {
  test("hides expired keys, keeps them until it is told, and refuses writes", () => {
    const clock = new TestClock();
    const server = testServer(clock);
    const client = new TestClient(server);
    server.replication.master = { host: "10.0.0.1", port: 6379 };
    server.apply([{ database: 0, argv: ["SET", "k", "v", "PXAT", String(clock.ms + 10)] }]);
    clock.ms += 11;
    expect(client.run("get k")).toBe("$-1\r\n");
    expect(server.activeExpire()).toBe(0);
    expect(client.run("dbsize")).toBe(":1\r\n");
    // The master's own commands see the key: it did not expire there yet.
    server.apply([{ database: 0, argv: ["APPEND", "k", "w"] }]);
    expect(server.database(0).slots.get("k")?.value).toMatchObject({ text: "vw" });
    server.apply([{ database: 0, argv: ["DEL", "k"] }]);
    expect(client.run("dbsize")).toBe(":0\r\n");
    expect(client.run("set k v")).toMatch(/^-READONLY /);
  });
});

describe("expiry", () => {
  test("in the background deletes what is over, at most so many, and tells everybody", () => {
    const clock = new TestClock();
    const units: (readonly Effect[])[] = [];
    const server = testServer(clock, { onEffects: (effects) => units.push(effects) });
    const client = new TestClient(server);
    for (const key of ["a", "b", "c"]) client.run(`set ${key} v px 10`);
    client.run("set d v px 11");
    clock.ms += 10;
    expect(server.activeExpire()).toBe(0);
    clock.ms += 1;
    units.length = 0;
    expect(server.activeExpire(2)).toBe(2);
    expect(server.activeExpire()).toBe(1);
    expect(recorded(units)).toEqual(["DEL a", "DEL b", "DEL c"]);
    client.run("debug set-active-expire 0");
    clock.ms += 1;
    expect(server.activeExpire()).toBe(0);
  });

  test("follows the wall clock back as well", () => {
    const clock = new TestClock();
    const client = new TestClient(testServer(clock));
    client.run("set k v px 100");
    clock.ms -= 1000;
    expect(client.run("pttl k")).toBe(":1100\r\n");
    clock.ms += 1101;
    expect(client.run("get k")).toBe("$-1\r\n");
  });
});

describe("WAIT", () => {
  test("blocks the connection until the world answers, and what came meanwhile is run then", () => {
    const requests: WaitRequest[] = [];
    const server = testServer(new TestClock(), { hooks: { wait: (request) => requests.push(request) } });
    const client = new TestClient(server);
    client.run("set k v");
    expect(client.run("wait 1 500")).toBe("");
    expect(client.run("get k")).toBe("");
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ replicas: 1, timeoutMs: 500 });
    requests[0]?.resolve(1);
    expect(client.take()).toBe(":1\r\n$1\r\nv\r\n");
    requests[0]?.resolve(2);
    expect(client.take()).toBe("");
  });

  test("returns at once when enough have acknowledged, and inside EXEC", () => {
    const server = testServer(new TestClock(), { hooks: { wait: () => expect.unreachable() } });
    const client = new TestClient(server);
    server.replication.offset = 100;
    const replica = { host: "r", port: 1, state: "online" as const, offset: 100, fileOffset: 0, ackAtMs: 0 };
    server.replication.replicas = [replica];
    expect(client.run("wait 1 0")).toBe(":1\r\n");
    for (const line of ["multi", "wait 5 0"]) client.run(line);
    expect(client.run("exec")).toBe("*1\r\n:1\r\n");
  });

  test("is ended by CLIENT UNBLOCK, and forgotten with its connection", () => {
    const requests: WaitRequest[] = [];
    const server = testServer(new TestClock(), { hooks: { wait: (request) => requests.push(request) } });
    const [client, other] = [new TestClient(server), new TestClient(server)];
    client.run("wait 1 0");
    expect(other.run(`client unblock ${client.session.id} error`)).toBe(":1\r\n");
    expect(client.take()).toBe("-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n");
    client.run("wait 1 0");
    client.session.disconnect();
    requests[1]?.resolve(1);
    expect(client.take()).toBe("");
  });
});

describe("snapshots", () => {
  test("share nothing with the server, and a master drops from them what has expired", () => {
    const clock = new TestClock();
    const server = testServer(clock);
    const client = new TestClient(server);
    for (const line of ["set k v px 100", "hset h f 1", "sadd s a b", "zadd z 1 m", "rpush l x", "xadd x 1-1 f v"]) {
      client.run(line);
    }
    client.run("select 3");
    client.run("set other 1");
    const snapshot = server.snapshot();
    client.run("flushall");
    client.run("set new 1");
    clock.ms += 101;
    const [master, replica] = [testServer(clock), testServer(clock)];
    replica.replication.master = { host: "m", port: 1 };
    for (const each of [master, replica]) each.restore(snapshot);
    expect([...master.database(0).slots.keys()]).toEqual(["h", "s", "z", "l", "x"]);
    expect([...replica.database(0).slots.keys()]).toEqual(["k", "h", "s", "z", "l", "x"]);
    expect(new TestClient(master).run("hincrby h f 1")).toBe(":2\r\n");
    expect(new TestClient(replica).run("hget h f")).toBe("$1\r\n1\r\n");
    expect(master.database(3).slots.size).toBe(1);
    server.restore(snapshot);
    expect(client.run("exists new")).toBe(":0\r\n");
  });
});

describe("memory", () => {
  test.each([
    ["allkeys-lru", ["old"]],
    ["volatile-ttl", ["soon"]],
    ["volatile-lru", ["soon"]],
  ])("%s evicts %s first", (policy, evicted) => {
    const clock = new TestClock();
    const units: (readonly Effect[])[] = [];
    const server = testServer(clock, { onEffects: (effects) => units.push(effects) });
    const client = new TestClient(server);
    for (const line of ["set old v", "set soon v ex 10", "set late v ex 20", "set plain v"]) {
      client.run(line);
      clock.ms += 1;
    }
    client.run("get late");
    const used = Number(/used_memory:(\d+)/.exec(client.run("info memory"))?.[1]);
    units.length = 0;
    client.run(`config set maxmemory-policy ${policy} maxmemory ${used - 1}`);
    expect(recorded(units)).toEqual(evicted.map((key) => `DEL ${key}`));
    expect(client.run(`get ${evicted.join()}`)).toBe("$-1\r\n");
  });
});

describe("pauses", () => {
  test("hold what may write, let reads pass, and end with their time", () => {
    const clock = new TestClock();
    const server = testServer(clock);
    const client = new TestClient(server);
    expect(client.run("client pause 100 write")).toBe("+OK\r\n");
    expect(client.run("get k")).toBe("$-1\r\n");
    expect(client.run("set k v")).toBe("");
    expect(client.run("get k")).toBe("");
    clock.ms += 99;
    server.resumePaused();
    expect(client.take()).toBe("");
    clock.ms += 1;
    server.resumePaused();
    expect(client.take()).toBe("+OK\r\n$1\r\nv\r\n");
  });
});

describe("connections", () => {
  test("that are killed are told to close, and forget their subscriptions", () => {
    const server = testServer(new TestClock());
    const [victim, other] = [new TestClient(server), new TestClient(server)];
    victim.run("subscribe c");
    expect(other.run("client kill type pubsub")).toBe(":1\r\n");
    expect(victim.closed).toBe(true);
    expect(other.run("publish c m")).toBe(":0\r\n");
    expect(other.run(`client kill id ${other.session.id} skipme no`)).toBe(":1\r\n");
    expect(other.closed).toBe(true);
  });

  test("that are gone get nothing, and their transactions do nothing", () => {
    const server = testServer(new TestClock());
    const [client, other] = [new TestClient(server), new TestClient(server)];
    client.run("watch k");
    client.run("multi");
    client.session.disconnect();
    expect(client.run("exec")).toBe("");
    expect(other.run("set k v")).toBe("+OK\r\n");
    expect(server.sessions.size).toBe(1);
    expect(server.database(0).watches.size).toBe(0);
  });
});

test("nothing is answered from before the data was loaded", () => {
  const server = testServer(new TestClock());
  const client = new TestClient(server);
  server.loading = true;
  expect(client.run("get k")).toBe("-LOADING Redis is loading the dataset in memory\r\n");
  expect(client.run("info nothing")).toBe("$0\r\n\r\n");
});
