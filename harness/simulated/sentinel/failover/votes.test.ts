import { expect, test } from "vitest";
import type { Reply } from "../../redis/protocol/reply.ts";
import { sentinelId } from "../sentinel-options.ts";
import { SentinelWorld } from "../testing/sentinel-world.ts";

const MASTER = ["10.0.0.1", "6379"];

function ask(world: SentinelWorld, index: number, epoch: number, candidate: string): Reply {
  return world.sentinel(index).command("SENTINEL", "IS-MASTER-DOWN-BY-ADDR", ...MASTER, String(epoch), candidate);
}

test("it votes once an epoch, for whom it was asked first, and never in an older one", async () => {
  const world = new SentinelWorld();
  await world.ready();
  expect(ask(world, 0, 5, "*")).toEqual([0, "*", 0]);
  expect(ask(world, 0, 5, "a")).toEqual([0, "a", 5]);
  expect(ask(world, 0, 5, "b")).toEqual([0, "a", 5]);
  expect(ask(world, 0, 4, "b")).toEqual([0, "a", 5]);
  expect(ask(world, 0, 6, "b")).toEqual([0, "b", 6]);
  expect(world.events.map(({ channel, message }) => `${channel} ${message}`)).toEqual([
    "+new-epoch 5",
    "+vote-for-leader a 5",
    "+new-epoch 6",
    "+vote-for-leader b 6",
  ]);
});

test("a restart does not give it a second vote", async () => {
  const world = new SentinelWorld();
  await world.ready();
  ask(world, 0, 5, "a");
  world.sentinel(0).host.kill();
  world.sentinel(0).start();
  expect(ask(world, 0, 5, "b")).toEqual([0, "*", 5]);
  expect(ask(world, 0, 6, "b")).toEqual([0, "b", 6]);
});

test("a Sentinel that has voted for another begins no failover within twice failover-timeout", async () => {
  const world = new SentinelWorld();
  await world.ready();
  for (const index of [0, 1, 2]) ask(world, index, 1, "somebody");
  world.node(0).host.kill();
  await world.advance(11_900);
  expect(world.said("+odown").length).toBeGreaterThan(0);
  expect(world.said("+try-failover")).toEqual([]);
  await world.advance(5000);
  expect(world.said("+try-failover").length).toBeGreaterThan(0);
  expect(world.answers()).not.toContain("node-0");
});

/** The winner and the votes of each epoch. */
function elections(world: SentinelWorld): { leaders: Map<number, Set<string>>; votes: Map<string, Set<string>> } {
  const epochs = new Map<string, number>();
  const leaders = new Map<number, Set<string>>();
  const votes = new Map<string, Set<string>>();
  for (const { sentinel, channel, message } of world.events) {
    if (channel === "+new-epoch") epochs.set(sentinel, Number(message));
    else if (channel === "+elected-leader") {
      const epoch = epochs.get(sentinel) ?? 0;
      leaders.set(epoch, (leaders.get(epoch) ?? new Set()).add(sentinel));
    } else if (channel === "+vote-for-leader") {
      const [leader = "", epoch] = message.split(" ");
      const voter = `${sentinel} in ${epoch}`;
      votes.set(voter, (votes.get(voter) ?? new Set()).add(leader));
    }
  }
  return { leaders, votes };
}

test("never two leaders in one epoch, though all ask for votes at the same time", { tags: "long" }, async () => {
  let contested = 0;
  // So slow that others stand for election before they hear of the first one.
  const latency = { minUs: 20_000, maxUs: 60_000 };
  for (let seed = 0; seed < 20; seed += 1) {
    const world = new SentinelWorld({ seed, sentinels: seed % 2 === 0 ? 3 : 5, latency });
    await world.ready(world.sentinels.map(() => 500));
    world.node(0).host.kill();
    await world.advance(40_000);
    const { leaders, votes } = elections(world);
    for (const each of leaders.values()) expect(each.size).toBe(1);
    for (const each of votes.values()) expect(each.size).toBe(1);
    if (new Set([...votes.values()].flatMap((each) => [...each])).size > 1) contested += 1;
    expect(world.answers(), `seed ${seed}`).not.toContain("node-0");
    expect(new Set(world.answers()).size).toBe(1);
  }
  expect(contested).toBeGreaterThan(0);
});

test("its identity is known from its name", () => {
  expect(sentinelId("sentinel-0")).toMatch(/^[0-9a-f]{40}$/);
});
