// @module-tag long
import { expect, test } from "vitest";
import { describeWithEngine } from "../../containers/testing/engine-required.ts";
import type { Servers } from "../../core/lock-driver.ts";
import { RealServers } from "../../../lock-impl/testing/real-redis.ts";
import { dataNodes } from "../../core/topology.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import { Kernel } from "../kernel/kernel.ts";
import { Network } from "../network/network.ts";
import { RedisNode } from "../nodes/redis-node.ts";
import { SnapshotExchange } from "../nodes/snapshot-exchange.ts";
import "./testing/simulated-run.ts";
import { untilQuiet } from "./testing/quiet-servers.ts";
import { RecordingProxy } from "./testing/recording-proxy.ts";
import { Transcripts } from "./testing/transcripts.ts";

const { runProgram } = await import("./testing/client-program.ts");
const { loadDriver } = await import("../../client/load-driver.ts");
const { LONG_TIMEOUTS } = await import("../../../lock-impl/parts/connection-options.ts");
const { soundParts } = await import("../../../lock-impl/parts/lock-parts.ts");
const { redlockParts } = await import("../../../lock-impl/parts/redlock-parts.ts");

// The time-out after which our own locks give up a slow server is not compared, and this machine may be slow.
for (const { timeouts } of [soundParts, redlockParts]) Object.assign(timeouts, LONG_TIMEOUTS);

/** In simulation everything is answered by then. */
const QUIET_MS = 10;

interface Recorded {
  readonly outcomes: readonly string[];
  readonly transcripts: ReturnType<Transcripts["lines"]>;
}

function serversOf(addresses: readonly { readonly host: string; readonly port: number }[]): Servers {
  const [address] = addresses;
  if (address === undefined) throw new Error("there is no server");
  return addresses.length === 1 ? { kind: "single", address } : { kind: "redlock", nodes: addresses };
}

async function inReality(lock: string, kind: TopologyKind): Promise<Recorded> {
  const transcripts = new Transcripts();
  const names = dataNodes(kind);
  await using stack = new AsyncDisposableStack();
  const real = stack.use(await RealServers.start(names.length));
  const proxies = await Promise.all(
    real.addresses.map((upstream, index) => RecordingProxy.start(names[index] ?? "", upstream, transcripts)),
  );
  for (const proxy of proxies) stack.use(proxy);
  const connections = real.servers.map(({ redis }) => redis);
  const servers = serversOf(proxies.map(({ address }) => address));
  const outcomes = await runProgram(await loadDriver(lock), servers, () => untilQuiet(connections, transcripts));
  return { outcomes, transcripts: transcripts.lines() };
}

async function inSimulation(lock: string, kind: TopologyKind): Promise<Recorded> {
  const transcripts = new Transcripts();
  const kernel = new Kernel({ seed: 1 });
  const network = new Network(kernel);
  const client = kernel.host("client");
  network.add(client);
  const exchange = new SnapshotExchange();
  const nodes = dataNodes(kind).map((name, index) => {
    const address = `10.1.0.${index + 1}`;
    return new RedisNode({ kernel, network, exchange, name, address, version: "8.0.2", config: { save: "" } });
  });
  network.onSend(({ from, connection, bytes }) => {
    const direction = from === client ? "sent" : "received";
    transcripts.add(connection.replace("client>", ""), direction, Buffer.from(bytes).toString("latin1"));
  });
  const driver = await loadDriver(lock);
  const servers = serversOf(nodes.map(({ address: host }) => ({ host, port: 6379 })));
  const quiet = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, QUIET_MS));
  const task = client.spawn("program", () => runProgram(driver, servers, quiet));
  await kernel.run({ done: () => task.state !== "running" });
  if (task.state !== "done") throw task.error;
  return { outcomes: task.value ?? [], transcripts: transcripts.lines() };
}

describeWithEngine("locks", () => {
  test.each([
    ["single", "single"],
    ["fenced", "single"],
    ["reentrant", "single"],
    ["watchdog", "single"],
    ["redlock", "redlock"],
    ["redlock4", "single"],
    ["redlock4", "redlock"],
    ["redlock5", "single"],
    ["redlock5", "redlock"],
    ["redis-semaphore", "single"],
    ["redis-semaphore-redlock", "redlock"],
  ] as const)(
    "%s on %s says and hears the same, byte for byte, as over real sockets with a real Redis",
    async (lock, kind) => {
      const simulated = await inSimulation(lock, kind);
      const real = await inReality(lock, kind);
      expect(simulated.outcomes).toEqual(real.outcomes);
      expect(simulated.transcripts).toEqual(real.transcripts);
      // Both transcripts must not be empty.
      const sent = Object.values(real.transcripts).flatMap((each) => each.sent);
      expect(sent.filter((line) => line.endsWith("k1")).length).toBeGreaterThan(4);
    },
  );
});
