import type Dockerode from "dockerode";
import { copyFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { HarnessError } from "../core/errors.ts";
import type { TopologySpec } from "../core/topology.ts";
import type { Address } from "../../lock-impl/driver.ts";
import { layOut, type NodeLayout } from "./container-layout.ts";
import { ContainerNode } from "./container-node.ts";
import { ControlDirectory } from "./control.ts";
import type { Mortal } from "./death-watch.ts";
import { connectEngine } from "./engine.ts";
import { NODE_IMAGE } from "./images.ts";
import { createLinks, type Link, linkName } from "./links.ts";
import { createNetwork, type RunNetwork } from "./network.ts";
import { NODE_LOG } from "./redis-configuration.ts";
import { RunContainer } from "./run-container.ts";
import type { RunHome } from "./run-home.ts";
import { awaitSentinels } from "./sentinels.ts";
import { settleAll } from "./settle-all.ts";
import { freePort, startToxiproxy, type ToxiproxyServer } from "./toxiproxy-server.ts";

export interface StageOptions {
  /** Image of the nodes that are Redis servers; the newest Redis when absent. */
  readonly image?: string;
  /** Port of Toxiproxy's own interface on loopback; a free one when absent. */
  readonly proxyPort?: number;
}

interface StartedNode {
  readonly layout: NodeLayout;
  readonly control: ControlDirectory;
  readonly node: ContainerNode;
  /** All its directives, as they were when it started. */
  readonly configuration: string;
}

/**
 * The servers of a topology in containers: data nodes, Sentinels, the guarded resource, and Toxiproxy, through which
 * clients reach them. The clients themselves are a run's own. Its containers go when its home is disposed.
 */
export class ContainerStage implements AsyncDisposable {
  readonly topology: TopologySpec;
  readonly engine: Dockerode;
  readonly home: RunHome;
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
    home: RunHome,
    toxiproxy: ToxiproxyServer,
    started: readonly StartedNode[],
    stack: AsyncDisposableStack,
  ) {
    this.#stack = stack;
    this.topology = topology;
    this.engine = engine;
    this.home = home;
    this.toxiproxy = toxiproxy;
    this.#started = started;
    this.layout = started.map(({ layout }) => layout);
    this.nodes = started.filter(({ layout }) => layout.role !== "resource").map(({ node }) => node);
  }

  /**
   * Starts all containers together, and resolves when every server answers.
   * @throws UserError when the port is taken; nothing has been started then
   */
  static async start(home: RunHome, topology: TopologySpec, options: StageOptions = {}): Promise<ContainerStage> {
    await using stack = new AsyncDisposableStack();
    const engine = await connectEngine();
    const port = await freePort(options.proxyPort ?? 0);
    const { labels } = home;
    const network = await createNetwork(engine, home.runId, labels);
    const image = options.image ?? NODE_IMAGE;
    const [toxiproxy, started] = await settleAll([
      startToxiproxy(labels, port),
      settleAll(
        layOut(topology, (host) => network.address(host)).map((layout) =>
          startNode(engine, layout, { folder: home.folder, image, labels, network, stack }),
        ),
      ),
    ]);
    return new ContainerStage(topology, engine, home, toxiproxy, started, stack.move());
  }

  /** Resolves when the topology can take faults: when the Sentinels, if there are any, agree. */
  async settle(): Promise<void> {
    const sentinels = this.nodes.filter(({ role }) => role === "sentinel");
    if (sentinels.length === 0) return;
    const data = this.nodes.filter(({ role }) => role === "data");
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
   * Makes all as it was after starting, for another run's clients: the links of the last are gone, the nodes run, are
   * empty, have right clocks. Not for Sentinels, which remember. Returns false when that cannot be: somebody has
   * changed a configuration.
   */
  async renew(): Promise<boolean> {
    // First the links: what they hold back would else reach the servers later.
    await settleAll(this.#links.map((link) => link.remove()));
    this.#links = [];
    const unchanged = await settleAll(
      this.#started.map(async ({ node, control, configuration }) => {
        await truncate(join(control.path, NODE_LOG));
        await node.renew();
        return (await node.configuration()) === configuration;
      }),
    );
    return !unchanged.includes(false);
  }

  /** Where the harness itself reaches a server, on a way that no fault touches. */
  address(name: string): Address {
    const layout = this.layout.find((each) => each.name === name);
    if (layout === undefined) throw new HarnessError(`there is no node ${name}`);
    return { host: layout.address, port: layout.kind.port };
  }

  /** Every container, to be watched. */
  get mortals(): readonly Mortal[] {
    return [...this.#started.map(({ node }) => node), this.toxiproxy];
  }

  /** Copies what the servers wrote to their logs, `node-0.log` and so on. */
  async saveLogs(folder: string): Promise<void> {
    await Promise.all(
      this.#started.map(async ({ layout, control }) => {
        // One that never started has no log.
        await copyFile(join(control.path, NODE_LOG), join(folder, `${layout.name}.log`)).catch(() => {});
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

async function startNode(
  engine: Dockerode,
  layout: NodeLayout,
  options: {
    readonly folder: string;
    readonly image: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly network: RunNetwork;
    readonly stack: AsyncDisposableStack;
  },
): Promise<StartedNode> {
  const { name, kind, address, command, configuration, syncsLate } = layout;
  const control = await ControlDirectory.create(join(options.folder, name), configuration);
  const started = await new RunContainer({
    image: kind.image(options.image),
    command,
    labels: options.labels,
    binds: [{ source: control.path, target: "/control" }],
    place: { network: options.network, address },
  }).start();
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
