import { topologyOf } from "../core/topologies/registry.ts";
import { AUDIT_STREAM } from "../core/audit-log.ts";
import type { Address } from "../core/lock-driver.ts";
import { messageTriggersOf } from "../core/messages/plan-triggers.ts";
import type { Plan } from "../core/plan.ts";
import type { Evidence, Notice, SystemUnderTest } from "../core/system.ts";
import { RESOURCE, type TopologySpec } from "../core/topology.ts";
import { AuditReader } from "./nodes/audit-reader.ts";
import type { ClientProcess } from "./clients/client-process.ts";
import { type AddressOf, connectClients, linkAddress, startClients } from "./clients/start-clients.ts";
import { ContainerNetwork } from "./engine/container-network.ts";
import type { ContainerNode } from "./nodes/container-node.ts";
import { ContainerServers, type ContainerServersOptions } from "./container-servers.ts";
import { type Link, linkName } from "./links/links.ts";
import { RunMonitor } from "./run-monitor.ts";
import { RunClock } from "./run-clock.ts";
import { RunScope } from "./cleanup/run-scope.ts";
import { requestFailover } from "../core/topologies/ask-sentinels.ts";
import { settleAll } from "./engine/settle-all.ts";
import { ProxyRecording } from "./wire/proxy-recording.ts";
import { commandTable, WireProxy } from "./wire/wire-proxy.ts";

export interface ContainerSystemOptions extends ContainerServersOptions {
  /** The folder for the output of clients and servers. */
  readonly logFolder: string;
  /** Records the commands between clients and Redis servers, at a proxy through which they then go. Default: false. */
  readonly wire?: boolean | undefined;
}

/**
 * Starts a plan's topology in containers, its clients as processes, and the links between them, and waits until it is
 * ready for faults. Everything that was started is removed when it is disposed, when starting fails, and, by a
 * watchdog, when this process dies.
 */
export async function startContainerSystem(plan: Plan, options: ContainerSystemOptions): Promise<ContainerSystem> {
  await using stack = new AsyncDisposableStack();
  const scope = stack.use(await RunScope.open());
  const servers = async (): Promise<ContainerServers> =>
    stack.use(await ContainerServers.start(scope, plan.topology, { ...options, firewall: needsFirewall(plan) }));
  return await startOnServers(plan, { ...options, scope, servers, stack });
}

/** Whether a fault of the plan may separate nodes from each other; nodes talk to each other only behind Sentinels. */
function needsFirewall({ topology, faults }: Plan): boolean {
  return topologyOf(topology.kind).arrangement === "replicated" && faults.some(({ params }) => "between" in params);
}

/**
 * Starts a plan's clients, and connects them to servers that start meanwhile. From then on the system owns everything
 * that it starts and everything on `stack`.
 */
export async function startOnServers(
  plan: Plan,
  options: Pick<ContainerSystemOptions, "logFolder" | "wire"> & {
    readonly scope: RunScope;
    readonly servers: () => Promise<ContainerServers>;
    readonly stack: AsyncDisposableStack;
  },
): Promise<ContainerSystem> {
  const { logFolder, scope, stack, wire = false } = options;
  const clock = new RunClock();
  const [clients, servers] = await settleAll([
    startClients(plan, scope, { clock, logFolder, stack }),
    options.servers(),
  ]);
  stack.defer(() => servers.saveLogs(logFolder));
  const links = await servers.link(clients.map(({ name }) => name));
  // Other servers than Redis speak languages that the proxy does not.
  const recording =
    wire && topologyOf(plan.topology.kind).server === "redis" ? new ProxyRecording(() => clock.now()) : undefined;
  const messages =
    recording === undefined && messageTriggersOf(plan).length === 0
      ? undefined
      : await followMessages(servers, clients, { links, recording, stack });
  const audit = stack.use(new AuditReader(servers.address(RESOURCE), AUDIT_STREAM));
  const [monitor] = await settleAll([
    RunMonitor.start(servers, clients, clock, stack),
    connectClients(plan, clients, servers.layout, (client, server) =>
      messages === undefined ? linkAddress(links, client, server) : messages.addressOf(client, server),
    ),
    servers.settle(),
  ]);
  clock.begin();
  monitor.begin();
  messages?.proxy.begin();
  return new ContainerSystem(
    servers,
    { clock, clients, links, audit, monitor, messages: messages?.proxy },
    stack.move(),
  );
}

/** Has the clients' commands to data nodes and Sentinels pass by a proxy that reads them. */
async function followMessages(
  servers: ContainerServers,
  clients: readonly ClientProcess[],
  options: {
    readonly links: ReadonlyMap<string, Link>;
    readonly recording: ProxyRecording | undefined;
    readonly stack: AsyncDisposableStack;
  },
): Promise<{ readonly proxy: WireProxy; readonly addressOf: AddressOf }> {
  const { links, recording, stack } = options;
  const proxy = stack.use(new WireProxy(recording));
  const addresses = new Map<string, Address>();
  for (const node of servers.nodes) {
    const server = { name: node.name, commands: commandTable(await node.command("COMMAND")) };
    for (const [index, { name }] of clients.entries()) {
      const link = links.get(linkName(name, node.name));
      if (link !== undefined) addresses.set(link.name, await proxy.open(index, server, link));
    }
  }
  const addressOf: AddressOf = (client, server) =>
    addresses.get(linkName(client, server)) ?? linkAddress(links, client, server);
  return { proxy, addressOf };
}

interface RunParts {
  readonly clock: RunClock;
  readonly clients: readonly ClientProcess[];
  readonly links: ReadonlyMap<string, Link>;
  readonly audit: AuditReader;
  readonly monitor: RunMonitor;
  readonly messages: WireProxy | undefined;
}

/** A running topology in containers, with its clients. */
export class ContainerSystem implements SystemUnderTest {
  readonly topology: TopologySpec;
  readonly clock: RunClock;
  readonly nodes: readonly ContainerNode[];
  readonly clients: readonly ClientProcess[];
  readonly network: ContainerNetwork;
  readonly resource: AuditReader;
  /** Present if the plan waits for messages, or if they are recorded. */
  readonly messages?: WireProxy;
  readonly #monitor: RunMonitor;
  readonly #stack: AsyncDisposableStack;

  constructor(servers: ContainerServers, parts: RunParts, stack: AsyncDisposableStack) {
    this.topology = servers.topology;
    this.clock = parts.clock;
    this.nodes = servers.nodes;
    this.clients = parts.clients;
    this.network = new ContainerNetwork(parts.links, servers.nodes);
    this.resource = parts.audit;
    if (parts.messages !== undefined) this.messages = parts.messages;
    this.#monitor = parts.monitor;
    this.#stack = stack;
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#monitor.onNotice(listener);
  }

  endWatch(): void {
    this.#monitor.endWatch();
  }

  async roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }> {
    const running = this.nodes.filter(({ role, expectedState }) => role === "data" && expectedState === "running");
    const answers = await Promise.all(
      running.map(async (node) => ({ name: node.name, role: await node.replicationRole() })),
    );
    const named = (role: string): readonly string[] =>
      answers.filter((answer) => answer.role === role).map(({ name }) => name);
    return { masters: named("master"), replicas: named("slave") };
  }

  requestFailover(): Promise<Evidence> {
    return requestFailover(
      this.nodes.filter(({ role, expectedState }) => role === "sentinel" && expectedState === "running"),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
