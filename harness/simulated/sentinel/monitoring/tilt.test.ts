import { expect, test } from "vitest";
import { MASTER_NAME } from "../../../core/topologies/sentinel.ts";
import { SentinelWorld } from "../testing/sentinel-world.ts";

const ACTIONS = ["+sdown", "+odown", "+try-failover", "+vote-for-leader", "+switch-master"];

function jumpAll(world: SentinelWorld, ms: number): void {
  for (const { host } of world.sentinels) host.clock.jump(ms * 1000);
}

function isTilting(world: SentinelWorld, index: number): boolean {
  return (world.sentinel(index).command("INFO", "sentinel") as string).includes("sentinel_tilt:1");
}

test.each([11_000, -3000])(
  "a clock that jumps by %i ms makes it tilt: it watches, and does not act for 30 s",
  async (jumpMs) => {
    const world = new SentinelWorld();
    await world.ready([5000, 5000, 5000]);
    jumpAll(world, jumpMs);
    const jumpedAtMs = world.kernel.now / 1000;
    await world.advance(110);
    expect(world.said("+tilt")).toHaveLength(3);
    expect(isTilting(world, 0)).toBe(true);
    for (const { timeMs } of world.events) expect(timeMs - jumpedAtMs).toBeLessThan(105);
    world.node(0).host.kill();
    await world.advance(28_000);
    expect(world.said(...ACTIONS)).toEqual([]);
    expect(world.answers()).toEqual(["node-0", "node-0", "node-0"]);
    await world.advance(10_000);
    expect(world.said("-tilt")).toHaveLength(3);
    expect(world.first("-tilt").timeMs - world.first("+tilt").timeMs).toBeGreaterThanOrEqual(30_000);
    expect(world.first("-tilt").timeMs - world.first("+tilt").timeMs).toBeLessThan(30_105);
    expect(world.answers()).not.toContain("node-0");
  },
);

test("a jump of two seconds at most is not noticed", async () => {
  const world = new SentinelWorld();
  await world.ready([5000, 5000, 5000]);
  jumpAll(world, 1850);
  await world.advance(3000);
  expect(world.events).toEqual([]);
});

test("it tilts when it was paused for more than two seconds, and not for less", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.sentinel(0).host.pause(1700_000);
  world.sentinel(1).host.pause(2300_000);
  await world.advance(4000);
  expect(world.said("+tilt")).toEqual(["sentinel-1 +tilt"]);
});

test("one that tilts answers that the master is not down, but votes", async () => {
  const world = new SentinelWorld();
  await world.ready([10_000, 10_000, 500]);
  world.sentinel(0).host.clock.jump(11_000_000);
  await world.advance(110);
  world.node(0).host.kill();
  await world.advance(15_000);
  // The two others make the quorum and the majority.
  expect(world.answers()[2]).not.toBe("node-0");
  const { command } = { command: (...argv: string[]) => world.sentinel(0).command(...argv) };
  expect(command("SENTINEL", "IS-MASTER-DOWN-BY-ADDR", "10.0.0.1", "6379", "0", "*")).toEqual([0, "*", 0]);
  expect(command("SENTINEL", "IS-MASTER-DOWN-BY-ADDR", "9.9.9.9", "6379", "7", "somebody")).toEqual([0, "*", 0]);
  const votes = world.events.filter(
    ({ sentinel, channel }) => sentinel === "sentinel-0" && channel === "+vote-for-leader",
  );
  expect(votes).toHaveLength(1);
  // It follows the new configuration even so.
  expect(world.answers()[0]).toBe(world.answers()[2]);
});

test("SENTINEL DEBUG shortens the tilt", async () => {
  const world = new SentinelWorld();
  await world.ready();
  for (const sentinel of world.sentinels) sentinel.command("SENTINEL", "DEBUG", "tilt-period", "2000");
  jumpAll(world, -5000);
  await world.advance(2300);
  expect(world.said("-tilt")).toHaveLength(3);
  expect(world.sentinel(0).command("SENTINEL", "CKQUORUM", MASTER_NAME)).toMatchObject({ text: /^OK 3 usable/ });
});

test("a master that dies during the tilt is never replaced when down-after is short: replicas are without it for too long", async () => {
  const world = new SentinelWorld();
  await world.ready();
  jumpAll(world, 11_000);
  await world.advance(110);
  world.node(0).host.kill();
  await world.advance(100_000);
  expect(world.said("-failover-abort-no-good-slave").length).toBeGreaterThan(1);
  expect(world.answers()).toEqual(["node-0", "node-0", "node-0"]);
});

test("one that had called the master down says so no more while it tilts", async () => {
  const world = new SentinelWorld();
  await world.ready([500, 10_000, 10_000]);
  world.node(0).host.pause();
  await world.advance(2000);
  const opinion = (): unknown =>
    world.sentinel(0).command("SENTINEL", "IS-MASTER-DOWN-BY-ADDR", "10.0.0.1", "6379", "0", "*");
  expect(opinion()).toEqual([1, "*", 0]);
  world.sentinel(0).host.clock.jump(-5_000_000);
  await world.advance(110);
  expect(opinion()).toEqual([0, "*", 0]);
});

test("while all tilt, a node with the wrong role is noticed, and corrected afterwards", async () => {
  const world = new SentinelWorld();
  await world.ready();
  for (const sentinel of world.sentinels) {
    sentinel.command("SENTINEL", "DEBUG", "info-period", "500", "tilt-period", "20000");
  }
  await world.advance(11_000);
  jumpAll(world, 5000);
  await world.advance(110);
  world.node(1).replication.follow(undefined);
  await world.advance(19_000);
  expect(world.said("-role-change")).toHaveLength(3);
  expect(world.said("+convert-to-slave")).toEqual([]);
  await world.advance(3000);
  expect(world.said("+convert-to-slave").length).toBeGreaterThan(0);
});
