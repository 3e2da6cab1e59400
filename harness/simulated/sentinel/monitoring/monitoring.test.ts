import { expect, test } from "vitest";
import { MASTER_NAME } from "../../../core/topologies/sentinel.ts";
import type { Reply } from "../../redis/protocol/reply.ts";
import { sentinelId } from "../sentinel-options.ts";
import { fieldsOf, SentinelWorld } from "../testing/sentinel-world.ts";

function master(world: SentinelWorld, index: number): ReadonlyMap<string, string> {
  return fieldsOf(world.sentinel(index).command("SENTINEL", "MASTER", MASTER_NAME));
}

function replicas(world: SentinelWorld, index: number): readonly ReadonlyMap<string, string>[] {
  return (world.sentinel(index).command("SENTINEL", "REPLICAS", MASTER_NAME) as readonly Reply[]).map(fieldsOf);
}

test("told only of the master, they find the replicas and each other", async () => {
  const world = new SentinelWorld({ isPlain: true });
  await world.advance(15_000);
  for (const index of [0, 1, 2]) {
    expect(master(world, index).get("num-other-sentinels")).toBe("2");
    const names = replicas(world, index).map((replica) => replica.get("name"));
    expect(new Set(names)).toEqual(new Set(["10.0.0.2:6379", "10.0.0.3:6379"]));
    expect(replicas(world, index).map((replica) => replica.get("master-link-status"))).toEqual(["ok", "ok"]);
  }
  expect(world.said("+slave")).toHaveLength(6);
  expect(world.said("+sentinel")).toHaveLength(6);
  expect(world.said("+monitor")).toEqual(["sentinel-0 +monitor", "sentinel-1 +monitor", "sentinel-2 +monitor"]);
});

test("seeded, they agree within three seconds, and nothing is noticed while all is well", async () => {
  const world = new SentinelWorld();
  await world.advance(3000);
  for (const index of [0, 1, 2]) {
    expect(master(world, index).get("flags")).toBe("master");
    expect(replicas(world, index).map((replica) => replica.get("flags"))).toEqual(["slave", "slave"]);
    expect(replicas(world, index).map((replica) => replica.get("master-link-status"))).toEqual(["ok", "ok"]);
  }
  await world.ready();
  await world.advance(120_000);
  expect(world.events).toEqual([]);
});

test("a replica that is down is seen, and seen again when it is back", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(1).host.pause();
  await world.advance(2000);
  expect(world.said()).toEqual(["sentinel-0 +sdown", "sentinel-1 +sdown", "sentinel-2 +sdown"]);
  world.node(1).host.resume();
  await world.advance(2000);
  expect(world.said("-sdown")).toHaveLength(3);
  expect(world.said("+odown")).toEqual([]);
});

test("a node that answers errors is down; one that loads its data is not", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(1).pingError = "LOADING Redis is loading the dataset in memory";
  world.node(2).pingError = "NOAUTH Authentication required.";
  await world.advance(2000);
  expect(new Set(world.events.map(({ message }) => message.split(" ")[1]))).toEqual(new Set(["10.0.0.3:6379"]));
});

test("links that have fallen silent are opened again, though nobody has closed them", async () => {
  const world = new SentinelWorld();
  await world.ready([10_000, 10_000, 10_000]);
  await world.advance(20_000);
  const link = world.network.link(world.sentinel(0).host, world.node(1).host);
  const names = (): readonly string[] => [...link.connections].map(({ name }) => name);
  const before = names();
  expect(before).toHaveLength(2);
  const heal = world.separate([world.node(1).host], [world.sentinel(0).host]);
  await world.advance(30_000);
  heal();
  await world.advance(5000);
  expect(replicas(world, 0).map((replica) => replica.get("flags"))).toEqual(["slave", "slave"]);
  // One for commands and one for hellos; the old ones are gone.
  expect(names()).toHaveLength(2);
  expect(names().filter((name) => before.includes(name))).toEqual([]);
});

test("a replica that follows another master is corrected after failover-timeout", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(2).replication.follow({ host: "10.0.0.2", port: 6379 });
  const changedAtMs = world.kernel.now / 1000;
  await world.advance(30_000);
  expect(world.node(2).replication.master?.host).toBe("10.0.0.1");
  const waitedMs = world.first("+fix-slave-config").timeMs - changedAtMs;
  expect(waitedMs).toBeGreaterThan(6000);
  // Its change is seen in one INFO, and its time is over in a later one, ten seconds apart.
  expect(waitedMs).toBeLessThan(20_200);
});

test("a master that says for long that it is a replica is called down", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).replication.follow({ host: "10.0.0.2", port: 6379 });
  await world.advance(15_000);
  expect(world.said("-role-change")).toHaveLength(3);
  expect(world.said("+sdown")).toEqual([]);
  await world.advance(25_000);
  const waitedMs = world.first("+sdown").timeMs - world.first("-role-change").timeMs;
  expect(waitedMs).toBeGreaterThan(20_500);
  expect(waitedMs).toBeLessThan(21_500);
  await world.advance(10_000);
  expect(world.answers()).not.toContain("node-0");
});

test("a Sentinel elsewhere under the same identity is an address that has changed", async () => {
  const world = new SentinelWorld();
  await world.ready();
  const id = "f".repeat(40);
  const hello = (host: string): Reply =>
    world.sentinel(0).command("PUBLISH", "__sentinel__:hello", `${host},26379,${id},0,${MASTER_NAME},10.0.0.1,6379,0`);
  expect(hello("10.0.9.1")).toBe(1);
  expect(hello("10.0.9.1")).toBe(1);
  expect(hello("10.0.9.2")).toBe(1);
  expect(world.events.map(({ channel, message }) => `${channel} ${message}`)).toEqual([
    `+sentinel sentinel ${id} 10.0.9.1 26379 @ ${MASTER_NAME} 10.0.0.1 6379`,
    `+sentinel-address-switch master ${MASTER_NAME} 10.0.0.1 6379 ip 10.0.9.2 port 26379 for ${id}`,
  ]);
  expect(master(world, 0).get("num-other-sentinels")).toBe("3");
  const other = "e".repeat(40);
  world
    .sentinel(0)
    .command("PUBLISH", "__sentinel__:hello", `10.0.9.2,26379,${other},0,${MASTER_NAME},10.0.0.1,6379,0`);
  expect(world.said("+sentinel-invalid-addr", "+sentinel")).toHaveLength(3);
  expect(master(world, 0).get("num-other-sentinels")).toBe("3");
});

test("a hello with a newer configuration moves the master; an older one, or of another master, does nothing", async () => {
  const world = new SentinelWorld();
  await world.ready();
  const hello = (name: string, host: string, epoch: number): Reply =>
    world
      .sentinel(0)
      .command(
        "PUBLISH",
        "__sentinel__:hello",
        `10.0.0.5,26379,${"d".repeat(40)},${epoch},${name},${host},6379,${epoch}`,
      );
  hello("other", "10.0.0.2", 9);
  expect(world.events).toEqual([]);
  hello(MASTER_NAME, "10.0.0.2", 3);
  expect(world.answers()[0]).toBe("node-1");
  expect(world.first("+new-epoch").message).toBe("3");
  expect(world.sentinel(0).configuration.currentEpoch).toBe(3);
  expect(world.said("+config-update-from", "+switch-master")).toHaveLength(2);
  hello(MASTER_NAME, "10.0.0.3", 2);
  hello(MASTER_NAME, "10.0.0.3", 3);
  expect(world.answers()[0]).toBe("node-1");
  expect(replicas(world, 0).map((replica) => replica.get("name"))).toEqual(["10.0.0.3:6379", "10.0.0.1:6379"]);
});

test("a node that calls itself a master is left alone for four hello periods, so that news can arrive", async () => {
  for (const publishMs of [2000, 300]) {
    const world = new SentinelWorld();
    await world.ready();
    for (const sentinel of world.sentinels) {
      sentinel.command("SENTINEL", "DEBUG", "info-period", "200", "publish-period", String(publishMs));
    }
    await world.advance(11_000);
    world.node(1).replication.follow(undefined);
    await world.advance(12_000);
    const waitedMs = world.first("+convert-to-slave").timeMs - world.first("-role-change").timeMs;
    expect(waitedMs).toBeGreaterThan(publishMs * 4);
    expect(waitedMs).toBeLessThan(publishMs * 4 + 350);
    expect(world.masters()).toEqual(["node-0"]);
  }
});

test("a link that breaks again within a second of its repair stays broken, and down-after runs", async () => {
  const world = new SentinelWorld();
  await world.ready();
  await world.advance(2000);
  const closeSubscriptions = (): void => {
    for (const session of world.node(1).sessions) if (session.channels.size > 0) session.close();
  };
  closeSubscriptions();
  await world.advance(200);
  expect(world.events).toEqual([]);
  closeSubscriptions();
  await world.advance(1500);
  expect(world.said("+sdown")).toContain("sentinel-0 +sdown");
  expect(world.said("-sdown").length).toBeGreaterThan(1);
});

test("what another Sentinel has said of the master is forgotten after five seconds", async () => {
  const world = new SentinelWorld();
  for (const index of [1, 2]) world.node(index).saved.priority = 0;
  await world.ready();
  const flags = (): string | undefined => {
    const peers = (world.sentinel(0).command("SENTINEL", "SENTINELS", MASTER_NAME) as readonly Reply[]).map(fieldsOf);
    return peers.find((peer) => peer.get("name") === sentinelId("sentinel-1"))?.get("flags");
  };
  const heal = world.separate([world.node(0).host], [world.sentinel(0).host, world.sentinel(1).host]);
  await world.advance(3000);
  expect(flags()).toBe("sentinel,master_down");
  world.sentinel(1).host.kill();
  heal();
  await world.advance(4000);
  expect(flags()).toBe("s_down,sentinel,disconnected,master_down");
  await world.advance(2500);
  expect(flags()).toBe("s_down,sentinel,disconnected");
});
