import { describe, expect, test } from "vitest";
import { addressOf, NodeWorld } from "./testing/node-world.ts";

describe("a replica", () => {
  test("begins with all its master has, in every database, and follows from there", async () => {
    const world = new NodeWorld();
    world.ask(0, "SET", "before", "1", "PX", 60_000);
    world.ask(0, "MULTI");
    await world.followed();
    expect(world.ask(1, "GET", "before")).toBe("1");
    expect(world.ask(1, "PTTL", "before")).toBeGreaterThan(59_000);
    world.ask(0, "SET", "after", "2");
    expect(world.ask(1, "GET", "after")).toBeNull();
    await world.advance(1);
    expect(world.ask(1, "GET", "after")).toBe("2");
    expect(world.resynchronisations).toEqual(["node-0 FULLRESYNC"]);
  });

  test("has its master's functions: those from before, those loaded later, and not those deleted", async () => {
    const world = new NodeWorld();
    const library = (name: string): string =>
      `#!lua name=${name}\nredis.register_function{function_name='${name}', flags={'no-writes'}, callback=function() return 1 end}`;
    world.ask(0, "FUNCTION", "LOAD", library("before"));
    world.ask(1, "FUNCTION", "LOAD", library("own"));
    await world.followed();
    world.ask(0, "FUNCTION", "LOAD", library("after"));
    await world.advance(1);
    const calls = (): unknown[] => ["before", "after", "own"].map((name) => world.ask(1, "FCALL_RO", name, 0));
    const unknown = expect.objectContaining({ message: "ERR Function not found" });
    expect(calls()).toEqual([1, 1, unknown]);
    world.ask(0, "FUNCTION", "DELETE", "before");
    await world.advance(1);
    expect(calls()).toEqual([unknown, 1, unknown]);
    expect(world.ask(1, "FUNCTION", "FLUSH")).toMatchObject({ message: expect.stringContaining("READONLY") });
    world.ask(0, "FUNCTION", "FLUSH");
    await world.advance(1);
    expect(calls()).toEqual([unknown, unknown, unknown]);
  });

  test("has its master's offset once it has caught up, and tells it", async () => {
    const world = new NodeWorld({ nodes: 3 });
    await world.followed();
    for (let index = 0; index < 5; index += 1) world.ask(0, "SET", `k${index}`, "v");
    await world.advance(1100);
    const { offset, replicas } = world.node(0).server.replication;
    for (const index of [1, 2]) expect(world.node(index).server.replication.offset).toBe(offset);
    // A ping may be on its way.
    for (const replica of replicas) expect(offset - replica.offset).toBeLessThanOrEqual(14);
    expect(world.ask(1, "ROLE")).toEqual(["slave", addressOf(0), 6379, "connected", offset]);
  });

  test("takes no writes, unless it is told to", async () => {
    const world = new NodeWorld();
    await world.followed();
    expect(world.ask(1, "SET", "k", "v")).toMatchObject({ message: expect.stringContaining("READONLY") });
    world.ask(1, "CONFIG", "SET", "replica-read-only", "no");
    expect(world.ask(1, "SET", "k", "v")).toBe("OK");
    expect(world.ask(0, "GET", "k")).toBeNull();
  });

  test("lags behind by as much as its link is slow", async () => {
    const world = new NodeWorld();
    await world.followed();
    world.network.link(world.node(0).host, world.node(1).host).delayUs = 500_000;
    world.ask(0, "SET", "k", "v");
    await world.advance(400);
    expect(world.ask(1, "GET", "k")).toBeNull();
    await world.advance(101);
    expect(world.ask(1, "GET", "k")).toBe("v");
  });

  test("gets what a cut link held once it is healed, over the same connection", async () => {
    const world = new NodeWorld();
    await world.followed();
    world.cut(0, 1);
    world.ask(0, "SET", "k", "v");
    await world.advance(5000);
    expect(world.ask(1, "GET", "k")).toBeNull();
    world.heal(0, 1);
    await world.advance(1);
    expect(world.ask(1, "GET", "k")).toBe("v");
    expect(world.resynchronisations).toEqual(["node-0 FULLRESYNC"]);
  });

  test("goes on where it stopped when its connection was reset", async () => {
    const world = new NodeWorld();
    await world.followed();
    world.ask(0, "SELECT", 0);
    world.network.reset(world.node(1).host, world.node(0).host);
    world.ask(0, "SET", "meanwhile", "1");
    await world.advance(10);
    expect(world.ask(1, "GET", "meanwhile")).toBe("1");
    expect(world.resynchronisations).toEqual(["node-0 FULLRESYNC", "node-0 CONTINUE"]);
    expect(world.node(1).server.replication.offset).toBe(world.node(0).server.replication.offset);
  });

  test("begins again when the backlog no longer has what it lacks", async () => {
    const world = new NodeWorld({ config: { "repl-backlog-size": "200" } });
    await world.followed();
    world.cut(0, 1);
    world.network.reset(world.node(1).host, world.node(0).host);
    for (let index = 0; index < 20; index += 1) world.ask(0, "SET", `k${index}`, "v");
    await world.advance(2000);
    world.heal(0, 1);
    await world.advance(3000);
    expect(world.ask(1, "DBSIZE")).toBe(20);
    expect(world.resynchronisations).toEqual(["node-0 FULLRESYNC", "node-0 FULLRESYNC"]);
  });

  test("tries once a second while its master is dead, and loses all when that comes back empty", async () => {
    const world = new NodeWorld();
    world.ask(0, "SET", "k", "v");
    await world.followed();
    world.node(0).host.kill();
    await world.advance(2500);
    expect(world.ask(1, "GET", "k")).toBe("v");
    expect(String(world.ask(1, "INFO", "replication"))).toContain("master_link_status:down");
    world.node(0).start(true);
    await world.advance(1500);
    expect(world.ask(1, "GET", "k")).toBeNull();
  });

  test("gives up a silent master after repl-timeout", async () => {
    const world = new NodeWorld({ config: { "repl-timeout": "3" } });
    await world.followed();
    world.cut(0, 1);
    await world.advance(2500);
    expect(world.node(1).server.replication.link).toBe("connected");
    await world.advance(2500);
    expect(world.node(1).server.replication.link).not.toBe("connected");
    expect(world.node(1).server.replication.linkDownSinceMs).toBeGreaterThan(0);
  });

  test("is dropped by a master that does not hear from it for repl-timeout", async () => {
    const world = new NodeWorld({ config: { "repl-timeout": "3" } });
    await world.followed();
    world.cut(1, 0);
    await world.advance(6000);
    expect(world.node(0).server.replication.replicas).toHaveLength(0);
  });

  test("hides a key whose time is over, and keeps it until its master deletes it", async () => {
    const world = new NodeWorld();
    world.ask(0, "DEBUG", "SET-ACTIVE-EXPIRE", 0);
    world.ask(0, "SET", "k", "v", "PX", 1000);
    await world.followed();
    await world.advance(2000);
    expect(world.ask(1, "GET", "k")).toBeNull();
    expect(world.ask(1, "DBSIZE")).toBe(1);
    expect(world.ask(0, "GET", "k")).toBeNull();
    await world.advance(1);
    expect(world.ask(1, "DBSIZE")).toBe(0);
  });

  test("judges expiry by its own clock", async () => {
    const world = new NodeWorld();
    await world.followed();
    world.node(1).host.clock.jump(10_000_000);
    world.ask(0, "SET", "k", "v", "PX", 5000);
    await world.advance(1);
    expect(world.ask(0, "GET", "k")).toBe("v");
    expect(world.ask(1, "GET", "k")).toBeNull();
  });

  test("of a replica gets the same stream, and follows it to a new master's history", async () => {
    const world = new NodeWorld({ nodes: 3 });
    await world.followed();
    world.ask(2, "REPLICAOF", addressOf(1), 6379);
    await world.advance(1100);
    world.ask(0, "SET", "k", "v");
    await world.advance(2);
    expect(world.ask(2, "GET", "k")).toBe("v");
    const offsets = world.nodes.map(({ server }) => server.replication.offset);
    expect(new Set(offsets).size).toBe(1);
    expect(world.node(1).server.replication.replicas).toHaveLength(1);
    expect(world.node(0).server.replication.replicas).toHaveLength(1);
  });

  test("serves nobody while it has no master itself", async () => {
    const world = new NodeWorld({ nodes: 3 });
    await world.followed();
    world.node(0).host.kill();
    await world.advance(10);
    world.ask(2, "REPLICAOF", addressOf(1), 6379);
    await world.advance(1500);
    expect(world.node(1).server.replication.replicas).toHaveLength(0);
    expect(world.node(2).server.replication.link).not.toBe("connected");
  });
});

describe("a promoted replica", () => {
  test("lets the others go on under the old history", async () => {
    const world = new NodeWorld({ nodes: 3 });
    world.ask(0, "SET", "k", "v");
    await world.followed();
    const oldId = world.node(0).server.replication.id;
    world.node(0).host.kill();
    world.ask(1, "REPLICAOF", "NO", "ONE");
    expect(world.node(1).server.replication).toMatchObject({ secondaryId: oldId, isReplica: false });
    expect(world.node(1).server.replication.id).not.toBe(oldId);
    world.ask(2, "REPLICAOF", addressOf(1), 6379);
    await world.advance(10);
    expect(world.resynchronisations.slice(2)).toEqual(["node-1 CONTINUE"]);
    expect(world.node(2).server.replication.id).toBe(world.node(1).server.replication.id);
    world.ask(1, "SET", "new", "1");
    await world.advance(1);
    expect(world.ask(2, "MGET", "k", "new")).toEqual(["v", "1"]);
  });

  test("says which database its first change is in", async () => {
    const world = new NodeWorld({ nodes: 3 });
    await world.followed();
    const session = world.node(0).server.connect({ onOutput: () => {} });
    world.node(0).turn(() => session.receive(Buffer.from("SELECT 5\r\nSET a 1\r\n")));
    await world.advance(1100);
    world.ask(1, "REPLICAOF", "NO", "ONE");
    world.ask(2, "REPLICAOF", addressOf(1), 6379);
    await world.advance(10);
    world.ask(1, "SET", "b", "2");
    await world.advance(1);
    expect(world.ask(2, "GET", "b")).toBe("2");
    expect(world.resynchronisations.at(-1)).toBe("node-1 CONTINUE");
  });

  test("takes from the old master, on its return, what only that had", async () => {
    const world = new NodeWorld({ nodes: 3 });
    await world.followed();
    world.cut(0, 1);
    world.cut(0, 2);
    world.ask(0, "SET", "lock", "A");
    world.ask(1, "REPLICAOF", "NO", "ONE");
    world.ask(2, "REPLICAOF", addressOf(1), 6379);
    await world.advance(1000);
    world.ask(1, "SET", "lock", "B");
    world.heal(0, 1);
    world.heal(0, 2);
    await world.advance(1000);
    expect(world.ask(0, "GET", "lock")).toBe("A");
    world.ask(0, "REPLICAOF", addressOf(1), 6379);
    await world.advance(1000);
    expect(world.ask(0, "GET", "lock")).toBe("B");
    expect(world.resynchronisations.at(-1)).toBe("node-1 FULLRESYNC");
    expect(world.ask(0, "SET", "k", "v")).toMatchObject({ message: expect.stringContaining("READONLY") });
  });

  test("lets the old master go on when that had nothing more than the others", async () => {
    const world = new NodeWorld();
    world.ask(0, "SET", "k", "v");
    await world.followed();
    world.ask(1, "REPLICAOF", "NO", "ONE");
    world.ask(0, "REPLICAOF", addressOf(1), 6379);
    await world.advance(100);
    expect(world.resynchronisations.at(-1)).toBe("node-1 CONTINUE");
    world.ask(1, "SET", "k", "w");
    await world.advance(1);
    expect(world.ask(0, "GET", "k")).toBe("w");
  });
});

describe("min-replicas-to-write", () => {
  const config = { "min-replicas-to-write": "1", "min-replicas-max-lag": "2" };

  test("refuses writes once no replica was heard of for longer than max-lag, counted once a second", async () => {
    const world = new NodeWorld({ config });
    expect(world.ask(0, "SET", "k", "v")).toMatchObject({ message: expect.stringContaining("NOREPLICAS") });
    await world.followed();
    expect(world.ask(0, "SET", "k", "v")).toBe("OK");
    world.cut(1, 0);
    await world.advance(1900);
    expect(world.ask(0, "SET", "k", "v")).toBe("OK");
    await world.advance(2600);
    expect(world.ask(0, "SET", "k", "v")).toMatchObject({ message: expect.stringContaining("NOREPLICAS") });
    world.heal(1, 0);
    await world.advance(1500);
    expect(world.ask(0, "SET", "k", "v")).toBe("OK");
  });

  test("is fooled by a clock that steps back", async () => {
    const world = new NodeWorld({ config });
    await world.followed();
    world.cut(1, 0);
    world.node(0).host.clock.jump(-60_000_000);
    await world.advance(20_000);
    expect(world.ask(0, "SET", "k", "v")).toBe("OK");
  });
});
