import { describe, expect, test } from "vitest";
import { NodeWorld } from "./testing/node-world.ts";

const MODES = {
  none: { save: "" },
  no: { appendonly: "yes", appendfsync: "no" },
  everysec: { appendonly: "yes", appendfsync: "everysec" },
  always: { appendonly: "yes", appendfsync: "always" },
};

/** A node whose first write is old and whose second one was made `sinceMs` ago, 500 ms after another. */
async function writtenTo(config: Readonly<Record<string, string>>, sinceMs: number): Promise<NodeWorld> {
  const world = new NodeWorld({ nodes: 1, config });
  await world.advance(3000);
  world.ask(0, "SET", "old", "1");
  await world.advance(500);
  world.ask(0, "SET", "lock", "A", "PX", 60_000);
  await world.advance(sinceMs);
  return world;
}

describe.each([
  { mode: "none", killed: [null, null], unplugged: [null, null] },
  { mode: "no", killed: ["1", "A"], unplugged: [null, null] },
  { mode: "everysec", killed: ["1", "A"], unplugged: ["1", null] },
  { mode: "always", killed: ["1", "A"], unplugged: ["1", "A"] },
] as const)("with persistence $mode", ({ mode, killed, unplugged }) => {
  test("a killed node comes back with what was written", async () => {
    const world = await writtenTo(MODES[mode], 0);
    world.node(0).host.kill();
    world.node(0).start(true);
    expect(world.ask(0, "MGET", "old", "lock")).toEqual(killed);
  });

  test("a node whose power went comes back with what was synced", async () => {
    const world = await writtenTo(MODES[mode], 0);
    world.node(0).losePower();
    world.node(0).start(true);
    expect(world.ask(0, "MGET", "old", "lock")).toEqual(unplugged);
  });
});

describe("everysec", () => {
  test("syncs a first write within milliseconds, and the next after a second", async () => {
    const world = await writtenTo(MODES.everysec, 0);
    expect(world.node(0).disk.unsynced).toBe(1);
    await world.advance(450);
    expect(world.node(0).disk.unsynced).toBe(1);
    await world.advance(160);
    expect(world.node(0).disk.unsynced).toBe(0);
  });

  test("syncs nothing while the clock has yet to come back to where it was", async () => {
    const world = await writtenTo(MODES.everysec, 2000);
    world.node(0).host.clock.jump(-10_000_000);
    world.ask(0, "SET", "late", "1");
    await world.advance(9000);
    expect(world.node(0).disk.unsynced).toBe(1);
    await world.advance(3000);
    expect(world.node(0).disk.unsynced).toBe(0);
  });

  test("a sync that is under way when the power goes counts for nothing", async () => {
    const world = new NodeWorld({ nodes: 1, config: MODES.everysec });
    await world.advance(3000);
    world.ask(0, "SET", "k", "v");
    expect(world.node(0).losePower()).toBe(1);
  });
});

test("a file that is turned on later holds what was there before, and one that is rewritten what is there now", async () => {
  const world = new NodeWorld({ nodes: 1 });
  world.ask(0, "SET", "before", "1");
  world.ask(0, "CONFIG", "SET", "appendonly", "yes");
  world.ask(0, "CONFIG", "REWRITE");
  world.ask(0, "SET", "after", "2");
  world.ask(0, "BGREWRITEAOF");
  world.node(0).losePower();
  world.node(0).start(true);
  expect(world.ask(0, "MGET", "before", "after")).toEqual(["1", "2"]);
});

test("what CONFIG SET changed is forgotten without CONFIG REWRITE, and CONFIG REWRITE without the disk", () => {
  const world = new NodeWorld({ nodes: 1 });
  const restart = (keepData: boolean): unknown => {
    world.node(0).host.kill();
    world.node(0).start(keepData);
    return world.ask(0, "CONFIG", "GET", "maxmemory");
  };
  world.ask(0, "CONFIG", "SET", "maxmemory", "2000000");
  expect(restart(true)).toEqual(["maxmemory", "0"]);
  world.ask(0, "CONFIG", "SET", "maxmemory", "2000000");
  world.ask(0, "CONFIG", "REWRITE");
  expect(restart(true)).toEqual(["maxmemory", "2000000"]);
  expect(restart(false)).toEqual(["maxmemory", "0"]);
});

test("SAVE keeps a copy", () => {
  const world = new NodeWorld({ nodes: 1 });
  world.ask(0, "SET", "k", "1");
  world.ask(0, "SAVE");
  world.ask(0, "SET", "k", "2");
  world.node(0).losePower();
  world.node(0).start(true);
  expect(world.ask(0, "GET", "k")).toBe("1");
});

test("a key that expired while the node was dead is gone when it comes back", async () => {
  const world = new NodeWorld({ nodes: 1, config: MODES.always });
  world.ask(0, "SET", "k", "v", "PX", 1000);
  world.node(0).host.kill();
  await world.advance(1500);
  world.node(0).start(true);
  expect(world.ask(0, "GET", "k")).toBeNull();
});

test("reading the disk is no change: nothing is written again and the offset begins at 0", () => {
  const world = new NodeWorld({ nodes: 1, config: MODES.always });
  world.ask(0, "SET", "k", "v");
  world.node(0).host.kill();
  world.node(0).start(true);
  expect(world.node(0).disk.written).toBe(1);
  expect(world.node(0).server.replication.offset).toBe(0);
});

test("nothing of what a client sent behind SHUTDOWN is done", () => {
  const world = new NodeWorld({ nodes: 1, config: MODES.everysec });
  const { server } = world.node(0);
  const session = server.connect({ onOutput: () => {} });
  world.node(0).turn(() => session.receive(Buffer.from("SET k 1\r\nSHUTDOWN\r\nSET k 2\r\n")));
  expect(world.node(0).host.state).toBe("dead");
  world.node(0).start(true);
  expect(world.ask(0, "GET", "k")).toBe("1");
});

test("a replica's file holds its master's data, from before it followed too", async () => {
  const world = new NodeWorld({ config: MODES.always });
  world.ask(0, "SET", "before", "1");
  await world.followed();
  world.ask(0, "SET", "after", "2");
  await world.advance(5);
  world.node(0).host.kill();
  world.node(1).losePower();
  world.node(1).start(true);
  expect(world.ask(1, "MGET", "before", "after")).toEqual(["1", "2"]);
});

test("starting a node that is not dead does nothing", () => {
  const world = new NodeWorld({ nodes: 1 });
  world.ask(0, "SET", "k", "v");
  world.node(0).start(false);
  expect(world.ask(0, "GET", "k")).toBe("v");
});

describe("function libraries", () => {
  const library = "#!lua name=l\nredis.register_function('f', function() return 'here' end)";

  test.each(["none", "no", "everysec", "always"] as const)("come back with the data: %s", async (mode) => {
    const world = new NodeWorld({ nodes: 1, config: MODES[mode] });
    expect(world.ask(0, "FUNCTION", "LOAD", library)).toBe("l");
    world.node(0).host.kill();
    world.node(0).start(true);
    const answer = world.ask(0, "FCALL", "f", 0);
    if (mode === "none") expect(answer).toMatchObject({ message: "ERR Function not found" });
    else expect(answer).toBe("here");
  });

  test("are in a file that is rewritten, and in a snapshot", async () => {
    const world = new NodeWorld({ nodes: 1, config: MODES.always });
    world.ask(0, "FUNCTION", "LOAD", library);
    world.ask(0, "BGREWRITEAOF");
    world.node(0).losePower();
    world.node(0).start(true);
    expect(world.ask(0, "FCALL", "f", 0)).toBe("here");
  });
});
