import type Dockerode from "dockerode";
import { Redis } from "ioredis";
import { connectEngine } from "../../harness/containers/engine/engine.ts";
import { NODE_IMAGE } from "../../harness/containers/setup/images.ts";
import { runLabels } from "../../harness/containers/cleanup/labels.ts";
import { sweepRun } from "../../harness/containers/cleanup/sweep.ts";
import { freePort } from "../../harness/containers/links/toxiproxy-server.ts";
import type { Address } from "../../harness/core/lock-driver.ts";

/** Directives of redis.conf. */
type Directives = Readonly<Record<string, string>>;

/** A Redis of its own for a test. */
export interface RealRedis {
  readonly address: Address;
  /** The port for the other nodes, as a node of a cluster. */
  readonly busPort: number;
  /** A connection for looking at what the lock did. */
  readonly redis: Redis;
  /** Stops and continues the server's process. */
  pause(): Promise<void>;
  unpause(): Promise<void>;
}

let started = 0;

/**
 * Real servers in containers, on free ports of loopback. All servers of one call are removed when it is disposed, or by
 * the next sweep if that never happens.
 */
export class RealServers implements AsyncDisposable {
  readonly #runId: string;
  readonly servers: readonly RealRedis[];

  private constructor(runId: string, servers: readonly RealRedis[]) {
    this.#runId = runId;
    this.servers = servers;
  }

  static async start(count: number, directives: Directives = {}): Promise<RealServers> {
    started += 1;
    const runId = `test-locks-${process.pid}-${started}`;
    const engine = await connectEngine();
    const servers: RealRedis[] = [];
    for (let index = 0; index < count; index += 1) servers.push(await startOne(engine, runId, directives));
    return new RealServers(runId, servers);
  }

  /** The only server, or the first. */
  get first(): RealRedis {
    const [first] = this.servers;
    if (first === undefined) throw new Error("no server was started");
    return first;
  }

  get addresses(): readonly Address[] {
    return this.servers.map(({ address }) => address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { redis } of this.servers) redis.disconnect();
    await sweepRun(this.#runId);
  }
}

async function startOne(engine: Dockerode, runId: string, directives: Directives): Promise<RealRedis> {
  const address = { host: "127.0.0.1", port: await freePort(0) };
  const busPort = await freePort(0);
  const place = { port: String(address.port), bind: address.host, "cluster-port": String(busPort) };
  const all = { ...place, save: "", ...directives };
  const container = await engine.createContainer({
    Image: NODE_IMAGE,
    Cmd: ["server", ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])],
    Labels: runLabels(runId),
    HostConfig: { NetworkMode: "host" },
  });
  await container.start();
  const redis = new Redis({ ...address, retryStrategy: () => 10, maxRetriesPerRequest: null });
  redis.on("error", () => {});
  await redis.ping();
  return { address, busPort, redis, pause: () => container.pause(), unpause: () => container.unpause() };
}
