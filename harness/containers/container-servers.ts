import type Dockerode from "dockerode";
import { copyFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { HarnessError } from "../core/errors.ts";
import type { TopologySpec } from "../core/topology.ts";
import type { Address } from "../core/lock-driver.ts";
import { layOut, type NodeLayout } from "./container-layout.ts";
import { ContainerNode } from "./nodes/container-node.ts";
import { ControlDirectory } from "./nodes/control.ts";
import type { MonitoredContainer } from "./nodes/death-watch.ts";
import { connectEngine } from "./engine/engine.ts";
import { changeSystem } from "./engine/engine-turns.ts";
import type { WatchedContainer } from "./freeze-watch.ts";
import { NODE_IMAGE } from "./setup/images.ts";
import { createLinks, type Link, linkName } from "./links/links.ts";
import { createNetwork, type RunNetwork } from "./links/network.ts";
import { NODE_LOG } from "./servers/redis-configuration.ts";
import { startContainer } from "./engine/run-container.ts";
import type { RunScope } from "./cleanup/run-scope.ts";
import { awaitSentinels, monitorAgain } from "./servers/sentinels.ts";
import { settleAll } from "./engine/settle-all.ts";
import { freePort, startToxiproxy, type ToxiproxyServer } from "./links/toxiproxy-server.ts";

export interface ContainerServersOptions {
  /** Image of the nodes that are Redis servers. Default: the newest Redis. */
  readonly image?: string;
  /** Port of Toxiproxy's own interface on loopback. Default: a free one. */
  readonly proxyPort?: number;
  /** Whether firewall rules inside the nodes' containers, which need NET_ADMIN, can partition nodes from each other. */
  readonly firewall?: boolean;
}

/** The entrypoint prepares the data directory with these, then becomes a user without any capability. */
const ENTRYPOINT_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID", "SETPCAP"];
const FIREWALL_CAPABILITIES = ["NET_ADMIN"];

interface StartedNode {
  readonly layout: NodeLayout;
  readonly control: ControlDirectory;
  readonly node: ContainerNode;
  /** All its directives, as of its start. */
  readonly configuration: string;
}

/**
 * The servers of one topology in containers: data nodes, Sentinels, the guarded resource, and the Toxiproxy through which
 * clients reach them. Clients belong to a run, not to this. Disposing the scope removes the containers.
 */
export class ContainerServers implements AsyncDisposable {
  readonly topology: TopologySpec;
  readonly engine: Dockerode;
  readonly scope: RunScope;
  readonly layout: readonly NodeLayout[];
  /** Data nodes, then Sentinels. */
  readonly nodes: readonly ContainerNode[];
  readonly toxiproxy: ToxiproxyServer;
  readonly #started: readonly StartedNode[];
  readonly #stack: AsyncDisposableStack;
  #links: readonly Link[] = [];

  private constructor(
    topology: TopologySpec,
    engine: Dockerode,
    scope: RunScope,
    toxiproxy: ToxiproxyServer,
    started: readonly StartedNode[],
    stack: AsyncDisposableStack,
  ) {
    this.#stack = stack;
    this.topology = topology;
    this.engine = engine;
    this.scope = scope;
    this.toxiproxy = toxiproxy;
    this.#started = started;
    this.layout = started.map(({ layout }) => layout);
    this.nodes = started.filter(({ layout }) => layout.role !== "resource").map(({ node }) => node);
  }

  /**
   * Starts all containers together, and resolves when every server answers.
   * @throws UserError when the port is taken; nothing has been started then
   */
  static async start(
    scope: RunScope,
    topology: TopologySpec,
    options: ContainerServersOptions = {},
  ): Promise<ContainerServers> {
    await using stack = new AsyncDisposableStack();
    const engine = await connectEngine();
    const { labels } = scope;
    const image = options.image ?? NODE_IMAGE;
    const capabilities = [...ENTRYPOINT_CAPABILITIES, ...(options.firewall === true ? FIREWALL_CAPABILITIES : [])];
    const [toxiproxy, started] = await changeSystem(async () => {
      const port = await freePort(options.proxyPort ?? 0);
      const network = await createNetwork(engine, scope.runId, labels);
      return settleAll([
        startToxiproxy(labels, port),
        settleAll(
          layOut(topology, (host) => network.address(host)).map((layout) =>
            startNode(engine, layout, { folder: scope.folder, image, labels, network, capabilities, stack }),
          ),
        ),
      ]);
    });
    return new ContainerServers(topology, engine, scope, toxiproxy, started, stack.move());
  }

  /** Resolves when the topology can take faults: when the Sentinels, if there are any, agree. */
  async settle(): Promise<void> {
    const { data, sentinels } = this.#byRole();
    if (sentinels.length === 0) return;
    // The first command in a container takes 50 ms; here nobody waits for it.
    await settleAll([awaitSentinels(data, sentinels), ...this.nodes.map((node) => node.runInside("true"))]);
  }

  /** Makes a link from every client to every server, by name: `client-0->node-2`. */
  async link(clients: readonly string[]): Promise<ReadonlyMap<string, Link>> {
    const links = await createLinks(
      this.toxiproxy.api,
      clients.flatMap((client) =>
        this.layout.map(({ name, address, kind }) => ({
          name: linkName(client, name),
          upstream: { host: address, port: kind.port },
          probe: kind.probe,
        })),
      ),
    );
    for (const node of this.nodes)
      node.linkTo(clients.flatMap((client) => links.get(linkName(client, node.name)) ?? []));
    this.#links = [...links.values()];
    return links;
  }

  /**
   * Restores the state after the start, for the clients of another run: no links, all nodes running, empty, with
   * correct clocks, in their first roles; the Sentinels have to settle again. Returns false when it cannot: when a
   * configuration was changed, or a Sentinel stopped.
   */
  async renew(): Promise<boolean> {
    // Links first: otherwise the bytes that they hold back would reach the servers later.
    await settleAll(this.#links.map((link) => link.remove()));
    this.#links = [];
    const sentinels = this.#started.filter(({ layout }) => layout.role === "sentinel");
    const others = this.#started.filter(({ layout }) => layout.role !== "sentinel");
    if (sentinels.some(({ node }) => !node.isUndisturbed)) return false;
    // Sentinels first: otherwise they would act upon what is done to the others.
    const unchanged = [...(await settleAll(sentinels.map(renewed))), ...(await settleAll(others.map(renewed)))];
    if (unchanged.includes(false)) return false;
    const { data, sentinels: nodes } = this.#byRole();
    if (nodes.length > 0) await monitorAgain(data, nodes);
    return true;
  }

  #byRole(): { readonly data: readonly ContainerNode[]; readonly sentinels: readonly ContainerNode[] } {
    return {
      data: this.nodes.filter(({ role }) => role === "data"),
      sentinels: this.nodes.filter(({ role }) => role === "sentinel"),
    };
  }

  /** The harness's own address of a server: a path that no fault touches. */
  address(name: string): Address {
    const layout = this.layout.find((each) => each.name === name);
    if (layout === undefined) throw new HarnessError(`there is no node ${name}`);
    return { host: layout.address, port: layout.kind.port };
  }

  /** Every container, for the watches. */
  get containers(): readonly (MonitoredContainer & WatchedContainer)[] {
    return [...this.#started.map(({ node }) => node), this.toxiproxy];
  }

  /** Copies what the servers wrote to their logs, `node-0.log` and so on. */
  async saveLogs(folder: string): Promise<void> {
    await Promise.all(
      this.#started.map(async ({ layout, control }) => {
        // A server that never started has no log.
        await copyFile(join(control.path, NODE_LOG), join(folder, `${layout.name}.log`)).catch(() => {});
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Makes a node as good as new. Returns false when its configuration is another than at its start. */
async function renewed({ layout, node, control, configuration }: StartedNode): Promise<boolean> {
  await truncate(join(control.path, NODE_LOG));
  await node.renew(layout.follows);
  return (await node.configuration()) === configuration;
}

async function startNode(
  engine: Dockerode,
  layout: NodeLayout,
  options: {
    readonly folder: string;
    readonly image: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly network: RunNetwork;
    readonly capabilities: readonly string[];
    readonly stack: AsyncDisposableStack;
  },
): Promise<StartedNode> {
  const { name, kind, address, command, configuration, syncsLate } = layout;
  const control = await ControlDirectory.create(join(options.folder, name), configuration);
  const started = await startContainer({
    image: kind.image(options.image),
    command,
    labels: options.labels,
    binds: [{ source: control.path, target: "/control" }],
    place: { network: options.network, address },
    capabilities: options.capabilities,
    data: "/data",
  });
  const node = options.stack.use(
    new ContainerNode({
      name,
      kind,
      access: await kind.access(name, { host: address, port: kind.port }),
      networkAddress: address,
      container: engine.getContainer(started.getId()),
      control,
      syncsLate,
    }),
  );
  await node.ready();
  return { layout, control, node, configuration: await node.configuration() };
}
