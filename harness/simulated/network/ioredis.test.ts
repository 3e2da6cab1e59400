import "../platform/install.ts";
import { Redis, type RedisOptions } from "ioredis";
import { expect, test } from "vitest";
import type { Host } from "../kernel/host.ts";
import type { Task } from "../kernel/host-tasks.ts";
import { Kernel } from "../kernel/kernel.ts";
import { Network } from "./network.ts";
import { tinyRedis } from "./testing/tiny-redis.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

type Timeouts = Pick<RedisOptions, "commandTimeout" | "connectTimeout" | "retryStrategy">;

/** A server and clients that run programs with ioredis; events of the client as `time event`. */
class World {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly server: Host;
  readonly log: string[] = [];
  readonly tasks: Task<unknown>[] = [];

  constructor(seed = 1) {
    this.kernel = new Kernel({ seed });
    this.network = new Network(this.kernel, { latency: { minUs: 100, maxUs: 100 } });
    this.server = this.kernel.host("node-0", { runs: "service" });
    this.network.add(this.server);
    this.listen();
  }

  listen(): void {
    this.network.listen(this.server, 6379, tinyRedis());
  }

  program<T>(name: string, options: Timeouts, run: (redis: Redis) => Promise<T>): { host: Host; task: Task<T> } {
    const host = this.kernel.host(name);
    this.network.add(host);
    const task = host.spawn("main", async () => {
      const redis = new Redis({ host: "node-0", port: 6379, ...options });
      for (const event of ["connect", "ready", "close", "reconnecting", "end"] as const)
        redis.on(event, () => this.note(event));
      redis.on("error", (error: NodeJS.ErrnoException) => this.note(`error ${error.code ?? error.message}`));
      const result = await run(redis);
      redis.disconnect();
      if (redis.status !== "end") await new Promise((resolve) => void redis.once("end", resolve));
      return result;
    });
    this.tasks.push(task);
    return { host, task };
  }

  note(what: string): void {
    this.log.push(`${this.kernel.now} ${what}`);
  }

  async run(): Promise<void> {
    await this.kernel.run({ done: () => this.tasks.every((task) => task.state !== "running") });
    const failure = [...this.kernel.hosts.values()].flatMap((host) => host.failures)[0];
    if (failure !== undefined) throw failure.error;
    expect(this.tasks.map((task) => task.state)).toEqual(this.tasks.map(() => "done"));
  }
}

test("connects, works and disconnects in some round trips of virtual time", async () => {
  const world = new World();
  const { task } = world.program("client-0", {}, async (redis) => {
    expect(await redis.ping()).toBe("PONG");
    expect(await redis.set("key", "value")).toBe("OK");
    return Promise.all([redis.get("key"), redis.incr("counter"), redis.get("none")]);
  });
  await world.run();
  expect(task.value).toEqual(["value", 1, null]);
  expect(world.log).toEqual(["200 connect", "600 ready", "1400 close", "1400 end"]);
});

test("a paused server answers after its pause; a command that waits too long times out", async () => {
  const world = new World();
  const { task } = world.program("client-0", { commandTimeout: 500 }, async (redis) => {
    await redis.ping();
    const slow = await redis.incr("a").then(() => world.kernel.now);
    const lost = await redis.incr("a").catch((error: Error) => `${world.kernel.now} ${error.message}`);
    await sleep(1000);
    return [slow, lost, await redis.get("a")];
  });
  world.kernel.at(900, "pause", () => world.server.pause(300_000));
  world.kernel.at(300_950, "pause", () => world.server.pause(1_000_000));
  await world.run();
  expect(task.value).toEqual([301_000, "801000 Command timed out", "2"]);
});

test("a paused client finds its reply and its timers after the pause", async () => {
  const orders = new Set<unknown>();
  for (let seed = 0; seed < 12; seed += 1) {
    const world = new World(seed);
    const { host, task } = world.program("client-0", {}, async (redis) => {
      await redis.ping();
      const order: string[] = [];
      const timer = sleep(5).then(() => order.push("timer"));
      await Promise.all([timer, redis.incr("a").then(() => order.push("reply"))]);
      return `${order.join(", ")} at ${world.kernel.now}`;
    });
    world.kernel.at(850, "pause", () => host.pause(50_000));
    await world.run();
    orders.add(task.value);
  }
  expect(orders).toEqual(new Set(["reply, timer at 50850", "timer, reply at 50850"]));
});

test("a cut holds commands; they are served when it is healed", async () => {
  const world = new World();
  const { host, task } = world.program("client-0", {}, async (redis) => {
    await redis.ping();
    await redis.incr("a");
    return world.kernel.now;
  });
  const link = world.network.link(host, world.server);
  world.kernel.at(850, "cut", () => (link.cut = true));
  world.kernel.at(5_000_000, "heal", () => link.heal());
  await world.run();
  expect(task.value).toBe(5_000_100);
});

test("a reset makes it reconnect, send again what was not answered, and go on", async () => {
  const world = new World();
  const { host, task } = world.program("client-0", { retryStrategy: () => 50 }, async (redis) => {
    await redis.ping();
    return [await redis.incr("a"), await redis.incr("a"), world.kernel.now];
  });
  world.kernel.at(950, "reset", () => void world.network.reset(host, world.server));
  await world.run();
  // The first INCR had reached the server before the reset, and was sent a second time.
  expect(task.value).toEqual([2, 3, 51_950]);
  expect(world.log).toEqual([
    "200 connect",
    "600 ready",
    "950 error ECONNRESET",
    "950 close",
    "950 reconnecting",
    "51150 connect",
    "51550 ready",
    "52150 close",
    "52150 end",
  ]);
});

test("a restarted server: refused, then connected again", async () => {
  const world = new World();
  const { task } = world.program("client-0", { retryStrategy: () => 100 }, async (redis) => {
    await redis.ping();
    await sleep(10);
    return [await redis.incr("a"), world.kernel.now];
  });
  world.kernel.at(5_000, "kill", () => world.server.kill());
  world.kernel.at(150_000, "start", () => {
    world.server.start();
    world.listen();
  });
  await world.run();
  expect(task.value).toEqual([1, 206_100]);
  expect(world.log.filter((line) => line.includes("error"))).toEqual(["105300 error ECONNREFUSED"]);
});

test("behind a cut a connection times out by ioredis' own timer", async () => {
  const world = new World();
  const { host, task } = world.program(
    "client-0",
    { connectTimeout: 2000, retryStrategy: () => null },
    async (redis) => {
      const error = await redis.ping().catch((error: Error) => error.message);
      return [error, world.kernel.now];
    },
  );
  world.network.link(host, world.server).cut = true;
  await world.run();
  expect(task.value).toEqual(["Connection is closed.", 2_000_000]);
  expect(world.log).toContain("2000000 error ETIMEDOUT");
});

test("a killed client leaves nothing behind: its server sees the connection end", async () => {
  const world = new World();
  const { host, task } = world.program("client-0", {}, async (redis) => {
    await redis.ping();
    await sleep(1_000_000);
  });
  world.kernel.at(5000, "kill", () => host.kill());
  await world.kernel.run();
  expect(task.state).toBe("killed");
  expect(world.network.link(host, world.server).connections.size).toBe(0);
  expect(host.failures).toEqual([]);
});
