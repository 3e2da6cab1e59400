import { expect, test } from "vitest";
import { MASTER_NAME } from "../../../core/topologies/sentinel.ts";
import type { WorldEvent } from "../testing/sentinel-group.ts";
import { SentinelWorld } from "../testing/sentinel-world.ts";
import type { StubNode } from "../testing/stub-node.ts";

/** Sentinels' timers fall differently with each. */
const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
/** Two timers, which are at most 100 ms apart. */
const SELECTED_MS = 200;

function failOver(world: SentinelWorld): void {
  world.sentinel(0).command("SENTINEL", "FAILOVER", MASTER_NAME);
}

function about(world: SentinelWorld, channel: string): readonly WorldEvent[] {
  return world.events.filter((event) => event.channel === channel);
}

/** The replica to be promoted, as soon as it was selected: before a later timer tells it so. */
async function chosen(world: SentinelWorld): Promise<StubNode> {
  for (let passedMs = 0; about(world, "+selected-slave").length === 0; passedMs += 1) {
    if (passedMs > SELECTED_MS) throw new Error("no replica was selected");
    await world.advance(1);
  }
  return world.first("+selected-slave").message.includes("10.0.0.2") ? world.node(1) : world.node(2);
}

function theOther(world: SentinelWorld, replica: StubNode): StubNode {
  return replica === world.node(1) ? world.node(2) : world.node(1);
}

test("with parallel-syncs 1 replicas are pointed to the new master one after the other", async () => {
  for (const parallel of [1, 3]) {
    const world = new SentinelWorld({ nodes: 4 });
    await world.ready();
    world.sentinel(0).command("SENTINEL", "SET", MASTER_NAME, "parallel-syncs", String(parallel));
    failOver(world);
    await world.advance(8000);
    const steps = world.said("+slave-reconf-sent", "+slave-reconf-inprog", "+slave-reconf-done");
    const [first, second] = about(world, "+slave-reconf-sent");
    const [done] = about(world, "+slave-reconf-done");
    expect(steps).toHaveLength(6);
    expect((second?.timeMs ?? 0) > (done?.timeMs ?? 0)).toBe(parallel === 1);
    expect(first?.message).not.toBe(second?.message);
    expect(about(world, "+switch-master")).toHaveLength(3);
  }
});

test("a replica that cannot reach the new master does not hold up the end for longer than failover-timeout", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.separate([world.node(1).host], [world.node(2).host]);
  failOver(world);
  await world.advance(12_000);
  expect(about(world, "+slave-reconf-inprog")).toHaveLength(1);
  expect(about(world, "+slave-reconf-done")).toEqual([]);
  const lastedMs =
    world.first("+failover-end-for-timeout").timeMs - world.first("+failover-state-reconf-slaves").timeMs;
  expect(lastedMs).toBeGreaterThan(6000);
  expect(lastedMs).toBeLessThan(6110);
  expect(world.said("+failover-end", "+switch-master").at(-1)).toBe("sentinel-0 +switch-master");
});

test.each(SEEDS)(
  "a replica that does not hear of the new master is waited for ten seconds, and told once more at the end: seed %i",
  async (seed) => {
    const world = new SentinelWorld({ seed });
    await world.ready([30_000, 30_000, 30_000]);
    // The others too: otherwise they, who have heard of the new master, correct the replica and close its connections.
    for (const sentinel of world.sentinels) {
      sentinel.command("SENTINEL", "SET", MASTER_NAME, "failover-timeout", "20000");
    }
    failOver(world);
    const other = theOther(world, await chosen(world));
    // Its commands do not arrive, but it is too early to call it down.
    world.network.link(world.sentinel(0).host, other.host).stalled = true;
    await world.advance(20_000);
    const sentMs = world.first("+slave-reconf-sent").timeMs;
    const givenUpMs = world.first("-slave-reconf-sent-timeout").timeMs - sentMs;
    expect(givenUpMs).toBeGreaterThan(10_000);
    expect(givenUpMs).toBeLessThan(10_110);
    expect(about(world, "+slave-reconf-sent")).toHaveLength(2);
    expect(world.answers()).not.toContain("node-0");
  },
);

test.each(SEEDS)(
  "a promotion that cannot be sent is given up after failover-timeout, and the next failover finds another replica: seed %i",
  async (seed) => {
    const world = new SentinelWorld({ seed });
    await world.ready();
    failOver(world);
    const replica = await chosen(world);
    replica.host.kill();
    world.node(0).host.kill();
    await world.advance(6500);
    expect(about(world, "-failover-abort-slave-timeout")).toHaveLength(1);
    await world.advance(15_000);
    expect(new Set(world.answers())).toEqual(new Set([theOther(world, replica).host.name]));
  },
);

test("the promoted replica closes its clients' connections, so that they ask again", async () => {
  const world = new SentinelWorld();
  await world.ready();
  const client = world.kernel.host("client", { runs: "service" });
  world.network.add(client);
  const closed: string[] = [];
  for (const index of [1, 2]) {
    const { host } = world.node(index);
    world.network.dial(client, world.addressOf(host), 6379, {
      onConnect: () => ({ onData: () => {}, onClose: () => closed.push(host.name) }),
      onFailure: () => {},
    });
  }
  await world.advance(10);
  failOver(world);
  await world.advance(4000);
  expect(closed.sort()).toEqual(["node-1", "node-2"]);
});
