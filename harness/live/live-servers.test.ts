import { connect } from "node:net";
import { once } from "node:events";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import type { TopologyKind } from "../core/topologies/registry.ts";
import { MASTER_NAME } from "../core/topologies/sentinel.ts";
import { topologySchema } from "../core/topology.ts";
import type { Notice } from "../core/system.ts";
import { LiveServers } from "./live-servers.ts";

const open: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of open.splice(0)) await stack.disposeAsync();
});

async function start(kind: TopologyKind, onNotice: (notice: Notice) => void = () => {}) {
  const stack = new AsyncDisposableStack();
  open.push(stack);
  const topology = topologySchema.parse({ kind });
  const servers = stack.use(
    await LiveServers.start({ topology, seed: 1, clients: ["client-0", "client-1"] }, onNotice),
  );
  const dial = (client: string, server: string): Redis => {
    const redis = new Redis({
      ...servers.addressOf(client, server),
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
    });
    redis.on("error", () => {});
    stack.defer(() => redis.disconnect());
    return redis;
  };
  const viaSentinels = (client: string): Redis => {
    const at = servers.serversFor(client);
    if (at.kind !== "sentinel") throw new Error("not behind Sentinels");
    const redis = new Redis({
      sentinels: at.sentinels.map((address) => ({ ...address })),
      name: at.masterName,
      sentinelRetryStrategy: () => 50,
      maxRetriesPerRequest: null,
    });
    redis.on("error", () => {});
    stack.defer(() => redis.disconnect());
    return redis;
  };
  const node = (name: string) => {
    const found = servers.nodes.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  return { servers, dial, viaSentinels, node };
}

describe("one server", () => {
  test("two clients of the real ioredis use it, and its clock is the machine's", async () => {
    const { dial } = await start("single");
    const [one, other] = [dial("client-0", "node-0"), dial("client-1", "node-0")];
    expect(await one.set("k", "v", "PX", 60_000, "NX")).toBe("OK");
    expect(await other.set("k", "w", "PX", 60_000, "NX")).toBeNull();
    expect(await other.eval("return redis.call('get', KEYS[1])", 1, "k")).toBe("v");
    const before = Date.now();
    const [seconds, micros] = await one.time();
    const serverMs = Number(seconds) * 1000 + Number(micros) / 1000;
    expect(serverMs).toBeGreaterThanOrEqual(before - 20);
    expect(serverMs).toBeLessThanOrEqual(Date.now() + 20);
  });

  test("a lease lasts as long as it says, measured at the client: never shorter", async () => {
    const { dial } = await start("single");
    const redis = dial("client-0", "node-0");
    await redis.ping();
    const begun = performance.now();
    await redis.set("k", "v", "PX", 80);
    while ((await redis.exists("k")) === 1) await redis.ping();
    expect(performance.now() - begun).toBeGreaterThanOrEqual(79);
  });

  test("bytes belong to the instant at which they come, also after this process could not run", async () => {
    const { dial } = await start("single");
    const redis = dial("client-0", "node-0");
    await redis.ping();
    // The kernel's time was last advanced before this; the lease must count from after it.
    const stuckUntil = performance.now() + 120;
    while (performance.now() < stuckUntil);
    const begun = performance.now();
    await redis.set("k", "v", "PX", 100);
    while ((await redis.exists("k")) === 1) await redis.ping();
    expect(performance.now() - begun).toBeGreaterThanOrEqual(99);
  });

  test("a killed server refuses, and is back at its address", async () => {
    const { servers, dial, node } = await start("single");
    const redis = dial("client-0", "node-0");
    await redis.set("k", "v");
    const closed = once(redis, "close");
    expect(await node("node-0").kill()).toMatchObject({ observed: true });
    await closed;
    const { host, port } = servers.addressOf("client-0", "node-0");
    const [refused] = (await once(connect(port, host), "error")) as [NodeJS.ErrnoException];
    expect(refused.code).toBe("ECONNREFUSED");
    expect(await node("node-0").start({ keepData: true })).toMatchObject({ observed: true });
    expect(await redis.get("k")).toBeNull();
  });

  test("a cut holds one client's bytes, not the other's, and heals without loss", async () => {
    const { servers, dial } = await start("single");
    const [one, other] = [dial("client-0", "node-0"), dial("client-1", "node-0")];
    await Promise.all([one.ping(), other.ping()]);
    await servers.network.cut({ from: "client-0", to: "node-0" });
    const held = one.set("k", "late").then(() => "done");
    expect(await other.get("k")).toBeNull();
    expect(await Promise.race([held, other.ping()])).toBe("PONG");
    await servers.network.heal({ from: "client-0", to: "node-0" });
    expect(await held).toBe("done");
    expect(await other.get("k")).toBe("late");
  });

  test("more bytes than a stalled link takes wait outside, and all arrive", async () => {
    const { servers, dial } = await start("single");
    const [redis, other] = [dial("client-0", "node-0"), dial("client-1", "node-0")];
    await redis.ping();
    await servers.network.stall({ from: "client-0", to: "node-0" });
    const megabyte = "x".repeat(1 << 20);
    const writes = Array.from({ length: 8 }, (_, index) => redis.set(`k${index}`, megabyte));
    // Answered after this process has looked at what the first had sent.
    for (let look = 0; look < 20; look += 1) expect(await other.dbsize()).toBe(0);
    await servers.network.heal({ from: "client-0", to: "node-0" });
    await Promise.all(writes);
    expect(await redis.dbsize()).toBe(8);
    expect(await redis.strlen("k7")).toBe(megabyte.length);
  });

  test("a reset is a reset", async () => {
    const { servers, dial } = await start("single");
    const redis = dial("client-0", "node-0");
    await redis.ping();
    const failed = once(redis, "error") as Promise<[NodeJS.ErrnoException]>;
    expect(await servers.network.reset({ from: "client-0", to: "node-0" })).toMatchObject({ observed: true });
    expect((await failed)[0].code).toBe("ECONNRESET");
    expect(await redis.ping()).toBe("PONG");
  });

  test("a paused server answers when it goes on", async () => {
    const { dial, node } = await start("single");
    const redis = dial("client-0", "node-0");
    await redis.ping();
    await node("node-0").pause();
    const answer = redis.ping();
    expect(await node("node-0").state()).toBe("paused");
    await node("node-0").resume();
    expect(await answer).toBe("PONG");
  });
});

describe("behind Sentinels", () => {
  test("clients need no map of addresses, and follow a failover", { tags: "long" }, async () => {
    const promoted = Promise.withResolvers<Notice>();
    const { servers, viaSentinels, node } = await start("sentinel", (notice) => promoted.resolve(notice));
    const redis = viaSentinels("client-0");
    await redis.set("k", "v");
    expect(await redis.wait(2, 1000)).toBe(2);
    const moved = once(redis, "close");
    await node("node-0").kill();
    await moved;
    expect(await promoted.promise).toMatchObject({ kind: "promotion", evidence: expect.stringContaining("1 key(s)") });
    expect(await redis.get("k")).toBe("v");
    // On a busy machine a second election may promote the other replica, too: the Sentinels then demote one of them.
    await expect.poll(async () => (await servers.roles()).masters, { timeout: 50_000 }).toHaveLength(1);
    expect((await servers.roles()).masters).not.toContain("node-0");
  });

  test("what Sentinels say names the addresses of the client that asks, in both protocols", async () => {
    const { servers, dial } = await start("sentinel");
    for (const client of ["client-0", "client-1"]) {
      const { host, port } = servers.addressOf(client, "node-0");
      const sentinel = dial(client, "sentinel-0");
      expect(await sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME)).toEqual([host, String(port)]);
      const replicas = (await sentinel.call("SENTINEL", "REPLICAS", MASTER_NAME)) as string[][];
      const ports = replicas.map((fields) => Number(fields[fields.indexOf("port") + 1]));
      const expected = ["node-1", "node-2"].map((name) => servers.addressOf(client, name).port);
      expect(new Set(ports)).toEqual(new Set(expected));
    }
  });

  test("INFO and ROLE of data nodes name the addresses of the client that asks", async () => {
    const { servers, dial } = await start("sentinel");
    for (const client of ["client-0", "client-1"]) {
      const at = (server: string): string =>
        `${servers.addressOf(client, server).host}:${servers.addressOf(client, server).port}`;
      const [master, replica] = [dial(client, "node-0"), dial(client, "node-1")];
      const [, , replicas] = (await master.role()) as unknown as [string, number, [string, string][]];
      expect(replicas.map(([host, port]) => `${host}:${port}`).toSorted()).toEqual(
        [at("node-1"), at("node-2")].toSorted(),
      );
      const [, host, port] = (await replica.role()) as unknown as [string, string, number];
      expect(`${host}:${port}`).toBe(at("node-0"));
      const info = await replica.info("replication");
      expect(info).toContain(`master_host:${host}\r\nmaster_port:${port}\r\n`);
      expect(await master.info("replication")).not.toContain("10.213.");
    }
  });

  test("an operator's failover is announced with addresses that the client can use", async () => {
    const { servers, dial } = await start("sentinel");
    const sentinel = dial("client-1", "sentinel-1");
    await sentinel.subscribe("+switch-master");
    const message = once(sentinel, "message") as Promise<[string, string]>;
    expect(await servers.requestFailover()).toMatchObject({ observed: true });
    const [, text] = await message;
    const [name, ...rest] = text.split(" ");
    const places = ["node-0", "node-1", "node-2"].map((node) => String(servers.addressOf("client-1", node).port));
    expect(name).toBe(MASTER_NAME);
    expect(rest.filter((word) => word === "127.0.0.1")).toHaveLength(2);
    expect(places).toEqual(expect.arrayContaining([rest[1], rest[3]]));
  });
});
