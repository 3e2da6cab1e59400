import { expect, test } from "vitest";
import { MASTER_NAME } from "../../../core/topologies/sentinel.ts";
import type { WorldEvent } from "../testing/sentinel-group.ts";
import { fieldsOf, SentinelWorld } from "../testing/sentinel-world.ts";

const FAILOVER_STEPS = [
  "+sdown",
  "+odown",
  "+try-failover",
  "+elected-leader",
  "+failover-state-select-slave",
  "+selected-slave",
  "+failover-state-send-slaveof-noone",
  "+failover-state-wait-promotion",
  "+promoted-slave",
  "+failover-state-reconf-slaves",
  "+slave-reconf-sent",
  "+slave-reconf-inprog",
  "+slave-reconf-done",
  "+failover-end",
  "+switch-master",
];

function leaderOf(world: SentinelWorld): string {
  return world.first("+elected-leader").sentinel;
}

function oncePerSentinel(events: readonly WorldEvent[], channel: string): readonly string[] {
  return events.filter((event) => event.channel === channel).map(({ message }) => message);
}

test("a killed master is replaced: all Sentinels name the same new one, and the other replica follows it", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).host.kill();
  await world.advance(5000);
  const [promoted] = world.masters().filter((name) => name !== "node-0");
  expect(promoted).toMatch(/node-[12]/);
  expect(world.answers()).toEqual([promoted, promoted, promoted]);
  const follower = world.node(promoted === "node-1" ? 2 : 1);
  const master = world.node(promoted === "node-1" ? 1 : 2);
  expect(follower.replication.master).toEqual({ host: world.addressOf(master.host), port: 6379 });
  expect(follower.info()).toContain("master_link_status:up");
  expect(new Set(oncePerSentinel(world.events, "+switch-master"))).toEqual(
    new Set([`${MASTER_NAME} 10.0.0.1 6379 ${world.addressOf(master.host)} 6379`]),
  );
  expect(oncePerSentinel(world.events, "+switch-master")).toHaveLength(3);
});

test("its leader goes through the steps of a failover in order", async () => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const world = new SentinelWorld({ seed });
    await world.ready();
    world.node(0).host.kill();
    await world.advance(5000);
    const leader = leaderOf(world);
    const steps = world.events
      .filter(({ sentinel, channel }) => sentinel === leader && FAILOVER_STEPS.includes(channel))
      .filter(({ message }) => !message.startsWith("slave 10.0.0.1:6379"))
      .map(({ channel }) => channel);
    expect(steps).toEqual(FAILOVER_STEPS);
    expect(world.said("+elected-leader")).toEqual([`${leader} +elected-leader`]);
  }
});

test("a paused master is replaced as well, and made a replica about ten seconds after it goes on", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).host.pause();
  await world.advance(5000);
  const [promoted] = world.answers();
  expect(promoted).not.toBe("node-0");
  world.node(0).host.resume();
  const resumedAtMs = world.kernel.now / 1000;
  await world.advance(5000);
  // It still accepts writes: nobody has told it yet.
  expect(world.masters()).toEqual(["node-0", promoted]);
  await world.advance(15_000);
  expect(world.masters()).toEqual([promoted]);
  const waitedMs = world.first("+convert-to-slave").timeMs - resumedAtMs;
  expect(waitedMs).toBeGreaterThan(8000);
  expect(waitedMs).toBeLessThan(13_000);
  expect(world.node(0).info()).toContain("master_link_status:up");
});

test("a master that is killed and started again keeps its role until it is corrected", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).host.kill();
  await world.advance(5000);
  const [promoted] = world.answers();
  world.node(0).start();
  const startedAtMs = world.kernel.now / 1000;
  await world.advance(20_000);
  const convertedMs = world.first("+convert-to-slave").timeMs - startedAtMs;
  expect(convertedMs).toBeGreaterThan(8000);
  expect(convertedMs).toBeLessThan(13_000);
  expect(world.masters()).toEqual([promoted]);
});

test("a restart that is quicker than down-after goes unnoticed except the new run id", async () => {
  const world = new SentinelWorld();
  await world.ready([5000, 5000, 5000]);
  world.node(0).host.kill();
  await world.advance(400);
  world.node(0).start();
  await world.advance(20_000);
  expect(world.said("+sdown", "+try-failover")).toEqual([]);
  expect(world.answers()).toEqual(["node-0", "node-0", "node-0"]);
  expect(world.said("+reboot").length).toBeGreaterThan(0);
});

test("with down-after under a second a restart of milliseconds is seen: a refused connection is tried again after one", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).host.kill();
  await world.advance(150);
  world.node(0).start();
  await world.advance(5000);
  expect(world.said("+odown").length).toBeGreaterThan(0);
  expect(world.answers()).not.toContain("node-0");
});

test("a Sentinel alone with the master starts no failover; after healing it learns of the others' by a hello", async () => {
  const world = new SentinelWorld();
  await world.ready();
  const [minority, majority] = [
    [world.node(0).host, world.sentinel(0).host],
    [world.node(1).host, world.node(2).host, world.sentinel(1).host, world.sentinel(2).host],
  ];
  const heal = world.separate(minority, majority);
  await world.advance(8000);
  const [first, ...rest] = world.answers();
  expect(first).toBe("node-0");
  expect(new Set(rest)).toEqual(new Set(world.masters().filter((name) => name !== "node-0")));
  expect(world.said("+try-failover").filter((each) => each.startsWith("sentinel-0"))).toEqual([]);
  world.events.length = 0;
  heal();
  await world.advance(20_000);
  expect(world.said("+config-update-from")).toEqual(["sentinel-0 +config-update-from"]);
  expect(new Set(world.answers())).toEqual(new Set(rest));
  expect(world.masters()).toEqual([rest[0]]);
});

test("with two of three Sentinels dead the third calls the master down and can do no more", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.sentinel(1).host.kill();
  world.sentinel(2).host.kill();
  await world.advance(100);
  world.node(0).host.kill();
  await world.advance(30_000);
  expect(world.said("+sdown")).toContain("sentinel-0 +sdown");
  expect(world.said("+odown", "+try-failover", "+switch-master")).toEqual([]);
  expect(world.answers()[0]).toBe("node-0");
});

test("with a quorum of one a Sentinel may try, but without a majority it is not elected, and tries again later", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.sentinel(0).command("SENTINEL", "SET", MASTER_NAME, "quorum", "1");
  world.sentinel(1).host.kill();
  world.sentinel(2).host.kill();
  await world.advance(100);
  world.node(0).host.kill();
  await world.advance(30_000);
  const said = world.events.filter(({ channel }) => /try-failover|not-elected|elected-leader/.test(channel));
  expect(said.map(({ channel }) => channel)).toEqual([
    "+try-failover",
    "-failover-abort-not-elected",
    "+try-failover",
    "-failover-abort-not-elected",
    "+try-failover",
  ]);
  const tries = said.filter(({ channel }) => channel === "+try-failover").map(({ timeMs }) => timeMs);
  // Twice failover-timeout (6 s), after a start that is drawn from the second after.
  for (const [index, timeMs] of tries.slice(1).entries()) {
    expect(timeMs - (tries[index] ?? 0)).toBeGreaterThan(12_000);
    expect(timeMs - (tries[index] ?? 0)).toBeLessThan(13_200);
  }
});

test("no failover without a replica that is fit: it is aborted", async () => {
  const world = new SentinelWorld();
  world.node(1).saved.priority = 0;
  await world.ready();
  world.node(2).host.kill();
  await world.advance(3000);
  world.node(0).host.kill();
  await world.advance(3000);
  expect(world.said("-failover-abort-no-good-slave")).toHaveLength(1);
  expect(world.masters()).toContain("node-0");
});

test("the replica with the lower priority, then with more data, is chosen", async () => {
  const world = new SentinelWorld();
  world.node(1).saved.priority = 10;
  await world.ready();
  world.node(0).host.kill();
  await world.advance(5000);
  expect(world.answers()[0]).toBe("node-1");

  for (const seed of [1, 2, 3]) {
    const other = new SentinelWorld({ seed });
    await other.ready();
    const lagging = other.network.link(other.node(0).host, other.node(1).host);
    lagging.cut = true;
    await other.advance(2500);
    other.node(0).host.kill();
    await other.advance(5000);
    expect(other.answers()[0]).toBe("node-2");
  }
});

test("a replica that is down, or of which no fresh INFO is known, is not chosen, regardless of its priority", async () => {
  const paused = new SentinelWorld();
  paused.node(2).saved.priority = 10;
  await paused.ready();
  paused.node(2).host.pause();
  await paused.advance(1800);
  paused.sentinel(0).command("SENTINEL", "FAILOVER", MASTER_NAME);
  await paused.advance(5000);
  expect(paused.answers()[0]).toBe("node-1");

  const silent = new SentinelWorld();
  silent.node(2).saved.priority = 10;
  await silent.ready();
  silent.node(2).infoError = "ERR not now";
  await silent.advance(6000);
  silent.node(0).host.kill();
  await silent.advance(5000);
  expect(silent.answers()[0]).toBe("node-1");
});

test("the first Sentinel to see the master down asks the others too soon, and again after a second: the second leads", async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const world = new SentinelWorld({ seed });
    await world.ready();
    world.node(0).host.kill();
    await world.advance(5000);
    expect(leaderOf(world)).toBe("sentinel-1");
    const mine = world.events.filter(({ sentinel }) => sentinel === "sentinel-0");
    const [sdown, odown] = ["+sdown", "+odown"].map(
      (each) => mine.find(({ channel }) => channel === each)?.timeMs ?? 0,
    );
    expect((odown ?? 0) - (sdown ?? 0)).toBeGreaterThan(1000);
  }
});

test("when the new master dies soon after, there is a second failover without delay", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.node(0).host.kill();
  await world.advance(5000);
  const [promoted] = world.answers();
  world.events.length = 0;
  world.node(Number(promoted?.at(-1))).host.kill();
  await world.advance(4000);
  expect(world.said("+switch-master")).toHaveLength(3);
  expect(world.answers()).toEqual(world.answers().map(() => (promoted === "node-1" ? "node-2" : "node-1")));
});

test("SENTINEL FAILOVER replaces a healthy master without asking anybody", async () => {
  const world = new SentinelWorld();
  await world.ready();
  expect(world.sentinel(2).command("SENTINEL", "FAILOVER", MASTER_NAME)).toMatchObject({ text: "OK" });
  expect(world.sentinel(2).command("SENTINEL", "FAILOVER", MASTER_NAME)).toMatchObject({
    text: "INPROG Failover already in progress",
  });
  await world.advance(4000);
  expect(leaderOf(world)).toBe("sentinel-2");
  expect(world.said("+sdown", "+odown")).toEqual([]);
  const [promoted] = world.answers();
  expect(promoted).not.toBe("node-0");
  expect(new Set(world.answers()).size).toBe(1);
  // The failover does not tell the old master; the Sentinels find it to be a master and make it a replica later.
  await world.advance(16_000);
  expect(world.masters()).toEqual([promoted]);
  const [host] = world.sentinel(0).command("SENTINEL", "REPLICAS", MASTER_NAME) as readonly [never];
  expect(fieldsOf(host).get("flags")).toBe("slave");
});
