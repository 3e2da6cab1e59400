import type { Plan } from "../../core/plan.ts";
import type { Evidence, NodeHandle, Notice, SystemUnderTest } from "../../core/system.ts";
import { messageTriggersOf } from "../../core/messages/plan-triggers.ts";
import { crashOf } from "../../core/crash.ts";
import { HarnessError, messageOf } from "../../core/errors.ts";
import { clientName, type TopologySpec } from "../../core/topology.ts";
import type { Host } from "../kernel/host.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { trueClockOf } from "../kernel/true-clock.ts";
import { Network } from "../network/network.ts";
import type { Latency } from "../network/pipe.ts";
import type { Flood } from "../network/send-rate.ts";
import type { RedisNode } from "../nodes/redis-node.ts";
import type { RedisVersion } from "../redis/server.ts";
import { layOut, type Layout } from "./layout.ts";
import { requestFailover } from "../../core/topologies/ask-sentinels.ts";
import { startSentinels } from "./sentinel-control.ts";
import { ServerWatch } from "../wire/server-watch.ts";
import { WireTap } from "../wire/wire-tap.ts";
import { SendStops } from "./send-stops.ts";
import { SimulatedClient } from "./simulated-client.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { SimulatedNetwork } from "./simulated-network.ts";
import { SimulatedNode } from "./simulated-node.ts";
import { SimulatedResource } from "./simulated-resource.ts";
import { SimulatedSentinelNode } from "./simulated-sentinel-node.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** The calls by which a program ends its own process. */
const EXITS: ReadonlySet<string> = new Set(["process.exit", "process.abort", "process.kill"]);

/** A plan's topology in a simulation, with its clients and its guarded resource. */
export class SimulatedSystem implements SystemUnderTest {
  readonly topology: TopologySpec;
  readonly clock: SimulatedClock;
  readonly nodes: readonly NodeHandle[];
  readonly clients: readonly SimulatedClient[];
  readonly network: SimulatedNetwork;
  readonly resource: SimulatedResource;
  /** The host of the code that drives the run. */
  readonly runner: Host;
  readonly layout: Layout;
  /** Present if the plan waits for messages, or if they are wanted. */
  readonly messages?: WireTap;
  readonly #listeners: ((notice: Notice) => void)[] = [];
  /** Clients whose program failed, with the error. */
  readonly #deaths = new Map<Host, unknown>();
  readonly #data: readonly SimulatedNode[];
  readonly #sentinels: readonly SimulatedSentinelNode[];

  /** Present if what the servers held is wanted. */
  readonly watch?: ServerWatch;

  /**
   * @param keeps `messages`: those between clients and servers, even if no trigger waits for one; `servers`: also the
   * replies, and what the servers held
   */
  constructor(
    kernel: Kernel,
    plan: Plan,
    version: RedisVersion,
    { keeps, latency }: { readonly keeps: "nothing" | "messages" | "servers"; readonly latency?: Latency | undefined },
  ) {
    const network = new Network(kernel, { latency });
    this.topology = plan.topology;
    this.runner = kernel.host("harness");
    this.clock = new SimulatedClock(trueClockOf(this.runner));
    this.resource = new SimulatedResource(this.runner, () => this.layout.resource);
    if (keeps === "servers") this.watch = new ServerWatch(() => this.clock.now());
    this.layout = layOut({
      watch: this.watch,
      kernel,
      network,
      topology: plan.topology,
      version,
      onPromotion: (node) => this.#noticePromotion(node),
      onResourceEffects: (effects) => this.resource.observe(effects),
    });
    const stops = new SendStops(network);
    this.clients = plan.clients.map((_, index) => {
      const host = kernel.host(clientName(index));
      network.add(host, `10.213.0.${100 + index}`);
      return new SimulatedClient(host, this.runner, network, stops);
    });
    this.#data = this.layout.data.map((node) => new SimulatedNode(node, this.runner));
    this.#sentinels = this.layout.sentinels.map((sentinel) => new SimulatedSentinelNode(sentinel));
    this.nodes = [...this.#data, ...this.#sentinels];
    this.network = new SimulatedNetwork(network, kernel.hosts);
    if (keeps !== "nothing" || messageTriggersOf(plan).length > 0) {
      const { clients, runner } = this;
      const servers = [...this.#data, ...this.#sentinels].map(({ host }) => host);
      this.messages = new WireTap({
        network,
        runner,
        now: () => this.clock.now(),
        clients,
        servers,
        keeps: keeps !== "nothing",
        keepsReplies: keeps === "servers",
      });
    }
    this.#watchFailures(kernel);
    network.onFlood((flood) => this.#noticeFlood(flood));
  }

  /**
   * Resolves when the system is ready for clients and faults.
   * @throws HarnessError when it does not become ready
   */
  async becomeReady(): Promise<void> {
    await startSentinels(this.clock, this.layout, this.#data, this.#sentinels);
  }

  roles(): Promise<{ readonly masters: readonly string[]; readonly replicas: readonly string[] }> {
    const running = this.layout.data.filter(({ host }) => host.state === "running");
    const named = (isReplica: boolean): string[] =>
      running.filter(({ server }) => server.isReplica === isReplica).map(({ name }) => name);
    return Promise.resolve({ masters: named(false), replicas: named(true) });
  }

  requestFailover(): Promise<Evidence> {
    return requestFailover(this.#sentinels);
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#listeners.push(listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  /** The error that ended a client's program, unless a fault ended it. */
  failureOf(client: string): unknown {
    return [...this.#deaths].find(([{ name }]) => name === client)?.[1];
  }

  #noticePromotion(node: RedisNode): void {
    const keys = node.server.database(0).slots.size;
    this.#tell({ kind: "promotion", node: node.name, evidence: `${node.name} became master; it had ${keys} key(s)` });
  }

  #noticeFlood({ from, to, messages, withinUs }: Flood): void {
    if (!this.clients.some(({ host }) => host === from)) return;
    const evidence = `${from.name} sent ${inFigures(messages)} messages to ${to.name} within ${inFigures(Math.ceil(withinUs / 1000))} ms`;
    this.#tell({ kind: "flooded", name: from.name, evidence });
  }

  /** A program with an uncaught failure ends, as Node would end it. */
  #watchFailures(kernel: Kernel): void {
    kernel.onFailure((host, during, error) => {
      const client = this.clients.find((candidate) => candidate.host === host);
      if (client === undefined) return;
      host.kill();
      if (this.#deaths.has(host)) return;
      this.#deaths.set(host, error);
      // The lock is not to blame for the simulation's own limits.
      if (error instanceof HarnessError) this.#tell({ kind: "died", name: host.name, evidence: messageOf(error) });
      else {
        const exits = EXITS.has(during) || undefined;
        this.#tell({ kind: "crashed", name: host.name, ...crashOf(during, error), exits });
      }
    });
  }

  #tell(notice: Notice): void {
    this.runner.post("notice", () => this.#listeners.forEach((listener) => listener(notice)));
  }
}
