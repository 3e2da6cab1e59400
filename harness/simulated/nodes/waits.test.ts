import { describe, expect, test } from "vitest";
import { addressOf, NodeWorld } from "./testing/node-world.ts";

/** Sends several commands over one connection; returns the answers so far, as text. */
function converse(world: NodeWorld, index: number, commands: string): () => string {
  let text = "";
  const node = world.node(index);
  const session = node.server.connect({ onOutput: (bytes) => (text += Buffer.from(bytes).toString("latin1")) });
  node.turn(() => session.receive(Buffer.from(commands)));
  return () => text;
}

describe("WAIT", () => {
  test("answers when enough replicas have acknowledged, without waiting for their next second", async () => {
    const world = new NodeWorld({ nodes: 3 });
    await world.followed();
    const answer = converse(world, 0, "SET k v\r\nWAIT 2 1000\r\n");
    expect(answer()).toBe("+OK\r\n");
    await world.advance(2);
    expect(answer()).toBe("+OK\r\n:2\r\n");
  });

  test("gives up up to a tenth of a second after its time, with how many there are", async () => {
    const world = new NodeWorld({ nodes: 3 });
    await world.followed();
    world.cut(0, 1);
    const answer = converse(world, 0, "SET k v\r\nWAIT 2 250\r\n");
    await world.advance(249);
    expect(answer()).toBe("+OK\r\n");
    await world.advance(102);
    expect(answer()).toBe("+OK\r\n:1\r\n");
  });

  test("waits for ever without a time, and for a paused replica until that goes on", async () => {
    const world = new NodeWorld();
    await world.followed();
    world.node(1).host.pause();
    const answer = converse(world, 0, "SET k v\r\nWAIT 1 0\r\n");
    await world.advance(20_000);
    expect(answer()).toBe("+OK\r\n");
    world.node(1).host.resume();
    await world.advance(5);
    expect(answer()).toBe("+OK\r\n:1\r\n");
  });

  test("on a master that becomes a replica ends with an error and the connection", async () => {
    const world = new NodeWorld();
    await world.followed();
    world.cut(0, 1);
    const answer = converse(world, 0, "SET k v\r\nWAIT 1 0\r\n");
    world.ask(0, "REPLICAOF", addressOf(1), 6379);
    expect(answer()).toMatch(/^\+OK\r\n-UNBLOCKED force unblock/);
  });

  test("does not count a replica whose connection is gone", async () => {
    const world = new NodeWorld();
    await world.followed();
    const answer = converse(world, 0, "SET k v\r\n");
    await world.advance(1100);
    world.node(1).host.kill();
    await world.advance(5);
    expect(answer()).toBe("+OK\r\n");
    expect(world.ask(0, "WAIT", 0, 10)).toBe(0);
  });
});

describe("WAITAOF", () => {
  test("waits for the disk of this server", async () => {
    const world = new NodeWorld({ nodes: 1, config: { appendonly: "yes" } });
    await world.advance(2000);
    converse(world, 0, "SET k 1\r\n");
    await world.advance(100);
    // Synced just now, so the next sync is in 900 ms.
    const answer = converse(world, 0, "SET k 2\r\nWAITAOF 1 0 0\r\n");
    await world.advance(700);
    expect(answer()).toBe("+OK\r\n");
    await world.advance(400);
    expect(answer()).toBe("+OK\r\n*2\r\n:1\r\n:0\r\n");
  });

  test("with appendfsync always has nothing to wait for", () => {
    const world = new NodeWorld({ nodes: 1, config: { appendonly: "yes", appendfsync: "always" } });
    expect(converse(world, 0, "SET k 1\r\nWAITAOF 1 0 0\r\n")()).toBe("+OK\r\n*2\r\n:1\r\n:0\r\n");
  });

  test("waits for the disks of replicas, which tell of them once a second", async () => {
    const world = new NodeWorld({ config: { appendonly: "yes", appendfsync: "always" } });
    await world.followed();
    const answer = converse(world, 0, "SET k 1\r\nWAITAOF 1 1 5000\r\n");
    await world.advance(5);
    expect(answer()).toBe("+OK\r\n");
    await world.advance(1005);
    expect(answer()).toBe("+OK\r\n*2\r\n:1\r\n:1\r\n");
  });

  test("counts no replica without a file", async () => {
    const world = new NodeWorld();
    await world.followed();
    const answer = converse(world, 0, "SET k 1\r\nWAITAOF 0 1 200\r\n");
    await world.advance(310);
    expect(answer()).toBe("+OK\r\n*2\r\n:0\r\n:0\r\n");
  });
});
