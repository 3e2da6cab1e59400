import type { Address, Servers } from "../core/lock-driver.ts";
import { HarnessError, UserError } from "../core/errors.ts";
import type { Evidence, Notice } from "../core/system.ts";
import { topologyOf } from "../core/topologies/registry.ts";
import type { TopologySpec } from "../core/topology.ts";
import type { Host } from "../simulated/kernel/host.ts";
import { Kernel } from "../simulated/kernel/kernel.ts";
import { trueClockOf } from "../simulated/kernel/true-clock.ts";
import { Network } from "../simulated/network/network.ts";
import type { RedisNode } from "../simulated/nodes/redis-node.ts";
import { REDIS_PORT } from "../simulated/nodes/redis-process.ts";
import { SENTINEL_PORT } from "../simulated/sentinel/sentinel-options.ts";
import { layOut, type Layout } from "../simulated/system/layout.ts";
import { requestFailover } from "../core/topologies/ask-sentinels.ts";
import { startSentinels } from "../simulated/system/sentinel-control.ts";
import { SimulatedNetwork } from "../simulated/system/simulated-network.ts";
import { SimulatedNode } from "../simulated/system/simulated-node.ts";
import { SimulatedResource } from "../simulated/system/simulated-resource.ts";
import { SimulatedSentinelNode } from "../simulated/system/simulated-sentinel-node.ts";
import { Bridge } from "./listeners/bridge.ts";
import { LoopbackListener } from "./listeners/loopback-listener.ts";
import { type Places, SentinelReplies } from "./listeners/sentinel-replies.ts";
import type { Exchange } from "../simulated/wire/exchange.ts";
import { ServerWatch } from "../simulated/wire/server-watch.ts";
import { WireTap } from "../simulated/wire/wire-tap.ts";
import { LiveMessages } from "./live-messages.ts";
import { LiveNetwork } from "./live-network.ts";
import { LiveNode } from "./live-node.ts";
import { LiveResource } from "./live-resource.ts";
import { type OutsideClient, OutsideClients } from "./outside-clients.ts";
import { JOINED_AT_US, outside, RealTime } from "./real-time.ts";

export interface LiveServersOptions {
  readonly topology: TopologySpec;
  readonly seed: number;
  /** The names of the clients: each reaches each server at an address of its own, so that faults can tell them apart. */
  readonly clients: readonly string[];
  /** The first of the ports to listen on; the others follow. Default: free ones. */
  readonly firstPort?: number | undefined;
  /** Whether triggers wait for messages. Default: false. */
  readonly followMessages?: boolean;
  /**
   * Records the commands and what the servers held: turns a reading of the machine's clock into nanoseconds of the run.
   * Default: nothing is recorded.
   */
  readonly recordedBy?: ((reading: bigint) => number) | undefined;
  /** Given the commands of clients to servers, and their replies. */
  readonly onCommand?: ((seen: SeenCommand) => void) | undefined;
}

/** A command that a client has sent, or whose reply it has. */
export interface SeenCommand {
  readonly moment: "sent" | "reply";
  /** Milliseconds since the servers joined real time. */
  readonly atMs: number;
  /** The client's name. */
  readonly client: string;
  /** The same object at both moments. */
  readonly exchange: Exchange;
}

/** A server, as the simulation knows it. */
interface Server {
  readonly name: string;
  readonly host: Host;
  readonly address: string;
  readonly port: number;
}

/**
 * The servers and Sentinels of the simulation in real time, for programs of this machine: they listen on loopback.
 * Needs no container engine.
 */
export class LiveServers implements AsyncDisposable {
  readonly topology: TopologySpec;
  readonly nodes: readonly LiveNode[];
  readonly network: LiveNetwork;
  readonly resource: LiveResource;
  /** The commands of clients, if triggers wait for them. */
  readonly messages: LiveMessages | undefined;
  readonly #tap: WireTap | undefined;
  readonly #watch: ServerWatch | undefined;
  readonly #time: RealTime;
  readonly #layout: Layout;
  readonly #servers: readonly Server[];
  readonly #clients: readonly string[];
  readonly #listeners: ReadonlyMap<string, LoopbackListener>;
  readonly #stack: AsyncDisposableStack;

  private constructor(parts: LiveParts) {
    const { time, layout, network, kernel, resource, data, sentinels, listeners, servers } = parts;
    const listenersOf = (name: string): readonly LoopbackListener[] =>
      parts.clients.flatMap((client) => listeners.get(listenerName(client, name)) ?? []);
    const live = (node: SimulatedNode | SimulatedSentinelNode): LiveNode =>
      new LiveNode(node, time, listenersOf(node.name));
    this.topology = parts.topology;
    this.nodes = [...data, ...sentinels].map(live);
    this.network = new LiveNetwork(new SimulatedNetwork(network, kernel.hosts), time);
    this.resource = new LiveResource(resource, live(parts.resourceNode), time);
    this.#tap = parts.tap;
    this.#watch = parts.watch;
    this.messages = parts.tap && new LiveMessages(parts.tap, parts.watch);
    this.#time = time;
    this.#layout = layout;
    this.#servers = servers;
    this.#clients = parts.clients;
    this.#listeners = listeners;
    this.#stack = parts.stack;
  }

  /**
   * Starts the servers, waits until they are ready for clients and faults, and listens.
   * @param onNotice receives what happens by itself
   * @throws UserError when the simulation does not have the topology's servers, or a port is taken
   */
  static async start(options: LiveServersOptions, onNotice: (notice: Notice) => void): Promise<LiveServers> {
    await using stack = new AsyncDisposableStack();
    const { topology, seed, clients } = options;
    // The world began some time ago, so that its clocks are right when the real world joins it.
    const epochMs = Date.now() - JOINED_AT_US / 1000;
    const kernel = new Kernel({ seed, epochMs, limits: { events: Infinity, timeUs: Infinity } });
    const time = stack.use(new RealTime(kernel));
    const outsiders = new OutsideClients();
    const network = new Network(kernel, { latency: outsiders.latency });
    const runner = kernel.host("harness", { runs: "service" });
    let layout: Layout | undefined;
    const { followMessages = false, onCommand, recordedBy } = options;
    // The clock of the simulation, which follows the machine's. Code that runs in a simulation may read no other clock.
    const now = (): number => recordedBy?.(time.reading(kernel.now)) ?? kernel.now * 1000;
    const watch = recordedBy === undefined ? undefined : new ServerWatch(now);
    const resource = new SimulatedResource(runner, () => {
      if (layout === undefined) throw new HarnessError("the resource was asked before there was one");
      return layout.resource;
    });
    layout = layOut({
      watch,
      kernel,
      network,
      topology,
      version: "8.0.2",
      placeFor: outsiders.placeFor,
      onPromotion: outside((node) => onNotice(promotionOf(node))),
      onResourceEffects: (effects) => resource.observe(effects),
    });
    const data = layout.data.map((node) => new SimulatedNode(node, runner));
    const sentinels = layout.sentinels.map((sentinel) => new SimulatedSentinelNode(sentinel));
    await runAhead(kernel, startSentinels(trueClockOf(runner), layout, data, sentinels));
    const servers = serversIn(layout);
    const outer = outsiders.join(kernel, network, clients);
    const tell = (moment: SeenCommand["moment"], exchange: Exchange): void =>
      onCommand?.({ moment, atMs: sinceJoinedMs(kernel), client: clients[exchange.client] ?? "", exchange });
    const tap =
      followMessages || recordedBy !== undefined || onCommand !== undefined
        ? new WireTap({
            network,
            runner,
            now,
            clients: outer.map(({ host }) => ({ host, operation: undefined })),
            servers: servers.filter(({ host }) => host !== layout.resource.host).map(({ host }) => host),
            keeps: recordedBy !== undefined,
            keepsReplies: recordedBy !== undefined || onCommand !== undefined,
            told: onCommand === undefined ? undefined : outside(tell),
            resume: (goOn) => time.enter(goOn),
          })
        : undefined;
    const listeners = await openListeners({
      time,
      network,
      clients: outer,
      servers,
      firstPort: options.firstPort ?? 0,
      stack,
    });
    time.enter(() => {});
    const resourceNode = new SimulatedNode(layout.resource, runner);
    const parts = { topology, time, kernel, network, layout, resource, resourceNode, data, sentinels };
    return new LiveServers({ ...parts, listeners, servers, clients, tap, watch, stack: stack.move() });
  }

  /** Rejects when the simulation itself failed; never resolves. */
  get failure(): Promise<never> {
    return this.#time.failure;
  }

  /** Milliseconds since the servers joined real time. */
  get nowMs(): number {
    return this.#time.enter(() => sinceJoinedMs(this.#time.kernel));
  }

  /** The run begins: messages count from now on. */
  beginMessages(): void {
    this.#tap?.begin();
    this.#time.enter(() => this.#watch?.begin(this.#layout.data));
  }

  /** Names of all servers, the guarded resource last. */
  get serverNames(): readonly string[] {
    return this.#servers.map(({ name }) => name);
  }

  /** Where a client reaches a server, both by name. @throws UserError for an unknown one */
  addressOf(client: string, server: string): Address {
    const listener = this.#listeners.get(listenerName(client, server));
    if (listener === undefined) {
      throw new UserError(`there is no way from "${client}" to "${server}"`, `clients: ${this.#clients.join(", ")}`);
    }
    return listener.address;
  }

  /** The lock's servers as a client reaches them. */
  serversFor(client: string): Servers {
    const { data, sentinels } = this.#layout;
    const at = ({ name }: { readonly name: string }): Address => this.addressOf(client, name);
    return topologyOf(this.topology.kind).serversAt({
      data: data.map(at),
      sentinels: sentinels.map(({ host }) => at(host)),
      // Sentinels tell each client the addresses that it can use.
      announced: {},
    });
  }

  roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }> {
    const { data } = this.#layout;
    const running = data.filter(({ host }) => host.state === "running");
    const named = (isReplica: boolean): readonly string[] =>
      running.filter(({ server }) => server.isReplica === isReplica).map(({ name }) => name);
    return this.#time.enter(() => Promise.resolve({ masters: named(false), replicas: named(true) }));
  }

  async requestFailover(): Promise<Evidence> {
    const sentinels = this.nodes.filter(({ role }) => role === "sentinel");
    const states = await Promise.all(sentinels.map((node) => node.state()));
    return requestFailover(sentinels.filter((_, index) => states[index] === "running"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

interface LiveParts {
  readonly topology: TopologySpec;
  readonly time: RealTime;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly layout: Layout;
  readonly resource: SimulatedResource;
  readonly resourceNode: SimulatedNode;
  readonly data: readonly SimulatedNode[];
  readonly sentinels: readonly SimulatedSentinelNode[];
  readonly listeners: ReadonlyMap<string, LoopbackListener>;
  readonly servers: readonly Server[];
  readonly clients: readonly string[];
  readonly tap: WireTap | undefined;
  readonly watch: ServerWatch | undefined;
  readonly stack: AsyncDisposableStack;
}

function sinceJoinedMs(kernel: Kernel): number {
  return (kernel.now - JOINED_AT_US) / 1000;
}

function promotionOf(node: RedisNode): Notice {
  const keys = node.server.database(0).slots.size;
  return { kind: "promotion", node: node.name, evidence: `${node.name} became master; it had ${keys} key(s)` };
}

/** Lets a kernel's time pass as fast as it can until `work` is done. @throws HarnessError if that takes too long */
async function runAhead(kernel: Kernel, work: Promise<void>): Promise<void> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  work.then(end, end);
  for (;;) {
    // What waits for an event goes on before the next.
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver) return work;
    const { nextUs } = kernel;
    if (nextUs === undefined || nextUs > JOINED_AT_US)
      throw new HarnessError("the simulated servers did not get ready");
    kernel.advance(nextUs);
  }
}

function serversIn({ data, sentinels, sentinelAddresses, resource }: Layout): readonly Server[] {
  const redis = ({ name, host, address }: RedisNode): Server => ({ name, host, address, port: REDIS_PORT });
  return [
    ...data.map(redis),
    ...sentinels.map(({ host }, index) => ({
      name: host.name,
      host,
      address: sentinelAddresses[index] ?? "",
      port: SENTINEL_PORT,
    })),
    redis(resource),
  ];
}

interface ListenersOptions {
  readonly time: RealTime;
  readonly network: Network;
  readonly clients: readonly OutsideClient[];
  readonly servers: readonly Server[];
  readonly firstPort: number;
  readonly stack: AsyncDisposableStack;
}

/** Opens a listener for each client at each server, and closes a server's listeners while it is dead. */
async function openListeners(options: ListenersOptions): Promise<ReadonlyMap<string, LoopbackListener>> {
  const { time, network, clients, servers, firstPort, stack } = options;
  const listeners = new Map<string, LoopbackListener>();
  for (const { host: from, places } of clients) {
    for (const server of servers) {
      const { address, port } = server;
      const wanted = firstPort === 0 ? 0 : firstPort + listeners.size;
      const listener = stack.use(
        await LoopbackListener.open(wanted, (socket) => {
          const replies = port === SENTINEL_PORT ? new SentinelReplies(places satisfies Places) : undefined;
          void new Bridge(socket, { time, network, from, address, port, replies });
        }),
      );
      places.set(`${address}:${port}`, listener.address);
      listeners.set(listenerName(from.name, server.name), listener);
    }
  }
  const follow = outside((host: Host) => {
    for (const client of clients) {
      const listener = listeners.get(listenerName(client.host.name, host.name));
      // Without power a machine does not even refuse.
      if (host.state === "dead" && host.powered) listener?.close();
      else listener?.open();
    }
  });
  network.kernel.onHostState(follow);
  return listeners;
}

function listenerName(client: string, server: string): string {
  return `${client}->${server}`;
}
