import { expect, test } from "vitest";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import type { MonitoredMaster } from "./sentinel-options.ts";
import { fieldsOf, SentinelWorld } from "./testing/sentinel-world.ts";

test("killed and started again it knows what it knew: master, epochs, replicas, other Sentinels, settings", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).host.kill();
  await world.advance(5000);
  const [promoted] = world.answers();
  const before = world.sentinel(0).configuration;
  world.sentinel(0).host.kill();
  await world.advance(1000);
  world.sentinel(0).start();
  expect(world.answers()[0]).toBe(promoted);
  const fields = fieldsOf(world.sentinel(0).command("SENTINEL", "MASTER", MASTER_NAME));
  expect(fields.get("config-epoch")).toBe("1");
  expect(fields.get("down-after-milliseconds")).toBe("500");
  expect(fields.get("num-slaves")).toBe("2");
  expect(fields.get("num-other-sentinels")).toBe("2");
  expect(before.currentEpoch).toBe(1);
  expect(before.masters[0]?.leaderEpoch).toBe(1);
  expect(before.masters[0]?.knownReplicas).toContainEqual({ host: "10.0.0.1", port: 6379 });
  await world.advance(3000);
  world.node(0).start();
  await world.advance(20_000);
  expect(world.masters()).toEqual([promoted]);
});

test("started empty it begins with its first configuration, and learns the newer one from the others", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).host.kill();
  await world.advance(5000);
  const [promoted] = world.answers();
  world.sentinel(0).host.kill();
  await world.advance(1000);
  world.sentinel(0).start({ keepData: false });
  expect(world.answers()[0]).toBe("node-0");
  await world.advance(5000);
  expect(world.answers()[0]).toBe(promoted);
});

test.each(["crash-after-election", "crash-after-promotion"])(
  "a leader that dies by %s leaves the failover to the others",
  async (crash) => {
    const world = new SentinelWorld();
    await world.ready();
    for (const sentinel of world.sentinels) sentinel.command("SENTINEL", "SIMULATE-FAILURE", crash);
    world.node(0).host.kill();
    await world.advance(3000);
    const dead = world.sentinels.filter(({ host }) => host.state === "dead");
    expect(dead).toHaveLength(1);
    expect(world.said("+switch-master")).toEqual([]);
    const selected = world.events.find(({ channel }) => channel === "+selected-slave")?.message.split(" ")[2] ?? "";
    for (const { configuration } of dead) expectKept(configuration.masters[0], { crash, selected });
    for (const sentinel of world.sentinels) {
      if (sentinel.host.state === "running") sentinel.command("SENTINEL", "SIMULATE-FAILURE", "none");
    }
    for (const sentinel of dead) sentinel.start();
    await world.advance(40_000);
    expect(new Set(world.answers()).size).toBe(1);
    expect(world.answers()).not.toContain("node-0");
  },
);

/** Once the promotion is confirmed, the file names the promoted node as master and the old one among the replicas. */
function expectKept(
  kept: MonitoredMaster | undefined,
  { crash, selected }: { readonly crash: string; readonly selected: string },
): void {
  const isPromoted = crash === "crash-after-promotion";
  expect(kept?.configEpoch).toBe(isPromoted ? 1 : 0);
  expect(kept?.address.host).toBe(isPromoted ? selected : "10.0.0.1");
  const replicas = kept?.knownReplicas?.map(({ host }) => host).sort();
  const others = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].filter((host) => host !== kept?.address.host);
  expect(replicas).toEqual(others);
}

test("the same seed gives the same run, another seed another", async () => {
  const run = async (seed: number): Promise<string> => {
    const world = new SentinelWorld({ seed });
    await world.ready();
    world.node(0).host.pause(6_000_000);
    await world.advance(2000);
    world.sentinel(1).host.pause(3_000_000);
    await world.advance(20_000);
    world.sentinel(2).host.kill();
    world.sentinel(2).start();
    await world.advance(10_000);
    return world.kernel.hash();
  };
  const hashes = [await run(7), await run(7), await run(8)];
  expect(hashes[1]).toBe(hashes[0]);
  expect(hashes[2]).not.toBe(hashes[0]);
});
