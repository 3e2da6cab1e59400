import { MASTER_NAME } from "../../../core/topologies/sentinel.ts";
import type { Host } from "../../kernel/host.ts";
import { Kernel } from "../../kernel/kernel.ts";
import { Network } from "../../network/network.ts";
import { seededSentinel } from "../sentinel-options.ts";
import { SimulatedSentinel, type SentinelEvent } from "../simulated-sentinel.ts";

/** An event and its publisher. Time in milliseconds of true time. */
export interface WorldEvent extends SentinelEvent {
  readonly sentinel: string;
  readonly timeMs: number;
}

export interface WorldOptions {
  readonly seed?: number;
  readonly sentinels?: number;
  readonly nodes?: number;
  /** Sentinels that know nobody but the master. */
  readonly isPlain?: boolean;
  /** Of the network, each way. */
  readonly latency?: { readonly minUs: number; readonly maxUs: number };
}

/** A data node as far as both kinds of worlds have it. */
export interface WorldNode {
  readonly host: Host;
  readonly isMaster: boolean;
}

const DOWN_AFTER_MS = [500, 700, 900];

/** A master, replicas and Sentinels, made as a system makes them, and the Sentinels' events. */
export abstract class SentinelGroup<Node extends WorldNode> {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly nodes: readonly Node[];
  readonly sentinels: readonly SimulatedSentinel[];
  readonly events: WorldEvent[] = [];

  /** @param makeNode makes a node that runs and follows the master, if there is one already */
  constructor(
    { seed = 1, sentinels = 3, nodes = 3, isPlain = false, latency }: WorldOptions,
    makeNode: (world: { kernel: Kernel; network: Network; index: number; master: string | undefined }) => Node,
  ) {
    this.kernel = new Kernel({ seed });
    const { kernel } = this;
    const network = new Network(kernel, latency === undefined ? {} : { latency });
    this.network = network;
    const made: Node[] = [];
    for (let index = 0; index < nodes; index += 1) {
      const master = made[0] === undefined ? undefined : network.addressOf(made[0].host);
      made.push(makeNode({ kernel, network, index, master }));
    }
    this.nodes = made;
    const known = Array.from({ length: sentinels }, (_, index) => {
      const host = kernel.host(`sentinel-${index}`, { runs: "service" });
      return { host, name: host.name, address: network.add(host) };
    });
    const [master = "", ...replicas] = made.map(({ host }) => network.addressOf(host));
    this.sentinels = known.map(({ host, name }) => {
      const others = isPlain ? [] : known.filter((other) => other.name !== name);
      const seed = seededSentinel({ name, master, replicas: isPlain ? [] : replicas, others });
      const sentinel = new SimulatedSentinel(host, network, seed);
      sentinel.onEvent((event) => this.events.push({ ...event, sentinel: name, timeMs: event.timeUs / 1000 }));
      return sentinel;
    });
    for (const sentinel of this.sentinels) sentinel.start();
  }

  addressOf(host: Host): string {
    return this.network.addressOf(host);
  }

  node(index: number): Node {
    return found(this.nodes[index]);
  }

  sentinel(index: number): SimulatedSentinel {
    return found(this.sentinels[index]);
  }

  /** Runs the simulation for `ms` milliseconds. */
  async advance(ms: number): Promise<void> {
    await this.kernel.run({ untilUs: this.kernel.now + ms * 1000 });
  }

  /** Lets time pass until all are connected, and makes the Sentinels judge quickly from then on. */
  async ready(downAfterMs: readonly number[] = DOWN_AFTER_MS): Promise<void> {
    await this.advance(3000);
    this.sentinels.forEach((sentinel, index) => {
      sentinel.command("SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds", String(downAfterMs[index] ?? 900));
    });
    this.events.length = 0;
  }

  /** Names of the nodes that call themselves masters. */
  masters(): readonly string[] {
    return this.nodes.filter(({ isMaster }) => isMaster).map(({ host }) => host.name);
  }

  /** Where Sentinels say that the master is: names of nodes. */
  answers(): readonly string[] {
    return this.sentinels.map((sentinel) => {
      const [host] = sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME) as readonly string[];
      return found(this.nodes.find((node) => this.addressOf(node.host) === host)).host.name;
    });
  }

  /** Events of some channels, as `sentinel channel`, in order. */
  said(...channels: readonly string[]): readonly string[] {
    return this.events
      .filter(({ channel }) => channels.length === 0 || channels.includes(channel))
      .map(({ sentinel, channel }) => `${sentinel} ${channel}`);
  }

  /** The first event of a channel. */
  first(channel: string): WorldEvent {
    return found(this.events.find((event) => event.channel === channel));
  }

  /** Cuts both directions between two groups of hosts. Returns a function that heals them. */
  separate(some: readonly Host[], others: readonly Host[]): () => void {
    const links = some.flatMap((a) => others.flatMap((b) => [this.network.link(a, b), this.network.link(b, a)]));
    for (const link of links) link.cut = true;
    return () => {
      for (const link of links) link.heal();
    };
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("there is none");
  return value;
}
