import "../platform/install.ts";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { MASTER_NAME } from "../../core/topologies/sentinel.ts";
import { connectionOptions } from "../../../lock-impl/parts/connection-options.ts";
import type { Task } from "../kernel/host-tasks.ts";
import { SENTINEL_PORT } from "./sentinel-options.ts";
import { SentinelWorld } from "./testing/sentinel-world.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Runs a program in a host of its own. */
function spawn<T>(world: SentinelWorld, name: string, program: () => Promise<T>): Task<T> {
  const host = world.kernel.host(name);
  world.network.add(host);
  return host.spawn("main", program);
}

/** A client that finds the master through the Sentinels, with the options of our locks. */
function client(world: SentinelWorld, options: { readonly replica?: boolean } = {}): Redis {
  const sentinels = world.sentinels.map(({ host }) => ({ host: world.addressOf(host), port: SENTINEL_PORT }));
  const target = { kind: "sentinel", sentinels, masterName: MASTER_NAME, natMap: {}, ...options } as const;
  const redis = new Redis(connectionOptions(target));
  redis.on("error", () => {});
  return redis;
}

/** Writes every 20 ms until the end; returns the times in milliseconds of the acknowledged writes. */
async function writeFor(redis: Redis, ms: number): Promise<readonly number[]> {
  const begunAtMs = Date.now();
  const acknowledged: number[] = [];
  while (Date.now() - begunAtMs < ms) {
    await redis.set("key", String(Date.now())).then(
      () => acknowledged.push(Date.now() - begunAtMs),
      () => {},
    );
    await sleep(20);
  }
  return acknowledged;
}

function longestGap(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
}

test("ioredis finds the master, and follows a failover within two and a half seconds of the kill", async () => {
  for (let seed = 1; seed <= 3; seed += 1) {
    const world = new SentinelWorld({ seed });
    await world.ready();
    const task = spawn(world, "client-0", async () => {
      const redis = client(world);
      await redis.connect();
      const times = await writeFor(redis, 6000);
      redis.disconnect();
      return times;
    });
    world.kernel.after(1_000_000, "kill", () => world.node(0).host.kill());
    await world.advance(10_000);
    expect(task.state).toBe("done");
    const gapMs = longestGap(task.value ?? []);
    expect(gapMs).toBeGreaterThan(900);
    expect(gapMs).toBeLessThan(2800);
    expect(task.value?.at(-1)).toBeGreaterThan(5500);
    const [promoted] = world.answers();
    expect(promoted).not.toBe("node-0");
    expect(world.node(Number(promoted?.at(-1))).data.get("key")).toBeDefined();
  }
});

test("a Sentinel's clients are closed by nobody: ioredis asks the next one when the first is dead", async () => {
  const world = new SentinelWorld();
  await world.ready();
  world.sentinel(0).host.kill();
  world.sentinel(1).host.pause();
  const task = spawn(world, "client-0", async () => {
    const redis = client(world);
    await redis.connect();
    const reply = await redis.set("key", "value");
    redis.disconnect();
    return reply;
  });
  await world.advance(3000);
  expect(task.value).toBe("OK");
});

test("ioredis finds a replica as well", async () => {
  const world = new SentinelWorld();
  await world.ready();
  const task = spawn(world, "client-0", async () => {
    const redis = client(world, { replica: true });
    await redis.connect();
    const role = await redis.role();
    redis.disconnect();
    return role;
  });
  await world.advance(3000);
  expect(task.value).toEqual(["slave"]);
});

test.each([2, 3] as const)("ioredis in protocol %i hears events, and reads what a Sentinel knows", async (protocol) => {
  const world = new SentinelWorld();
  await world.ready();
  const heard: string[] = [];
  const task = spawn(world, "client-0", async () => {
    const address = { host: world.addressOf(world.sentinel(1).host), port: SENTINEL_PORT };
    const sentinel = new Redis({ ...address, protocol, enableReadyCheck: false });
    const subscriber = new Redis({ ...address, protocol, enableReadyCheck: false });
    subscriber.on("pmessage", (_pattern, channel: string, message: string) => heard.push(`${channel} ${message}`));
    await subscriber.psubscribe("*");
    const info = await sentinel.info();
    const address1 = await sentinel.call("SENTINEL", "get-master-addr-by-name", MASTER_NAME);
    const none = await sentinel.call("SENTINEL", "get-master-addr-by-name", "other");
    await sentinel.call("SENTINEL", "failover", MASTER_NAME);
    await sleep(3000);
    const address2 = await sentinel.call("SENTINEL", "get-master-addr-by-name", MASTER_NAME);
    sentinel.disconnect();
    subscriber.disconnect();
    return { info, address1, address2, none };
  });
  await world.advance(5000);
  const result = task.value;
  const [host, port] = (result?.address2 ?? []) as string[];
  expect(result?.info).toContain("redis_mode:sentinel");
  expect(result?.info).toContain(`master0:name=${MASTER_NAME},status=ok,address=10.0.0.1:6379,slaves=2,sentinels=3`);
  expect(result?.address1).toEqual(["10.0.0.1", "6379"]);
  expect(result?.address2).not.toEqual(["10.0.0.1", "6379"]);
  expect(result?.none).toBe(null);
  expect(heard).toContain(`+try-failover master ${MASTER_NAME} 10.0.0.1 6379`);
  expect(heard).toContain(`+switch-master ${MASTER_NAME} 10.0.0.1 6379 ${host} ${port}`);
});
