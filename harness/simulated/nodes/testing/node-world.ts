import { Kernel } from "../../kernel/kernel.ts";
import { Network } from "../../network/network.ts";
import { encodeCommand, fromBytes, toBytes } from "../../redis/protocol/resp-encoder.ts";
import type { RedisVersion } from "../../redis/server.ts";
import { CommandReply } from "../../system/command-reply.ts";
import { RedisNode } from "../redis-node.ts";
import { SnapshotExchange } from "../snapshot-exchange.ts";

export interface NodeWorldOptions {
  /** How many nodes; all but the first follow the first. */
  readonly nodes?: number;
  readonly config?: Readonly<Record<string, string>>;
  readonly version?: RedisVersion;
  readonly seed?: number;
}

/** A command that was sent to a node and its reply, once there is one. */
export interface Asked {
  /** Undefined while the node has not answered. An error is an Error. */
  readonly reply: unknown;
}

/** A master and its replicas, without Sentinels and clients. Requests do not use the network. */
export class NodeWorld {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly nodes: readonly RedisNode[];
  /** Full resynchronisations and partial ones, as masters announced them: `node-0 FULLRESYNC`. */
  readonly resynchronisations: string[] = [];

  constructor({ nodes = 2, config = {}, version = "8.0.2", seed = 1 }: NodeWorldOptions = {}) {
    this.kernel = new Kernel({ seed });
    this.network = new Network(this.kernel);
    this.network.onSend(({ from, bytes }) => {
      const kind = /^\+(FULLRESYNC|CONTINUE)/.exec(fromBytes(bytes))?.[1];
      if (kind !== undefined) this.resynchronisations.push(`${from.name} ${kind}`);
    });
    const exchange = new SnapshotExchange();
    this.nodes = Array.from(
      { length: nodes },
      (_, index) =>
        new RedisNode({
          kernel: this.kernel,
          network: this.network,
          exchange,
          name: `node-${index}`,
          address: addressOf(index),
          version,
          config: { "repl-ping-replica-period": "1", ...config },
          ...(index === 0 ? {} : { master: { host: addressOf(0), port: 6379 } }),
        }),
    );
  }

  /** The n-th node. */
  node(index: number): RedisNode {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    const untilUs = this.kernel.now + ms * 1000;
    // With every node dead no event would be left, and time would stop.
    this.kernel.at(untilUs, "the test goes on", () => {});
    await this.kernel.run({ untilUs });
  }

  /**
   * Lets time pass until a condition holds.
   * @throws Error when it does not within a minute
   */
  async until(what: string, holds: () => boolean): Promise<void> {
    const untilUs = this.kernel.now + 60_000_000;
    const end = await this.kernel.run({ done: holds, untilUs });
    if (end !== "done") throw new Error(`it did not come about that ${what}`);
  }

  /** Lets time pass until all replicas are online. */
  async followed(): Promise<void> {
    await this.until("the replicas are online", () => {
      const { replicas } = this.node(0).server.replication;
      return replicas.length === this.nodes.length - 1 && replicas.every(({ state }) => state === "online");
    });
  }

  /** Sends a command to a node. */
  send(index: number, ...argv: readonly (string | number)[]): Asked {
    const asked: { reply: unknown } = { reply: undefined };
    const reply = new CommandReply();
    const take = (): void => {
      try {
        const taken = reply.take();
        if (taken !== undefined) asked.reply = taken.value;
      } catch (error) {
        asked.reply = error;
      }
    };
    const session = this.node(index).server.connect({
      onOutput: (bytes) => {
        reply.push(bytes);
        take();
      },
    });
    this.node(index).turn(() => session.receive(toBytes(encodeCommand(argv.map(String)))));
    return asked;
  }

  /** The reply to a command that is answered at once. */
  ask(index: number, ...argv: readonly (string | number)[]): unknown {
    const { reply } = this.send(index, ...argv);
    if (reply === undefined) throw new Error(`${String(argv[0])} was not answered at once`);
    return reply;
  }

  /** Cuts everything from one node to another. */
  cut(from: number, to: number): void {
    this.network.link(this.node(from).host, this.node(to).host).cut = true;
  }

  heal(from: number, to: number): void {
    this.network.link(this.node(from).host, this.node(to).host).heal();
  }
}

/** The address of the n-th node. */
export function addressOf(index: number): string {
  return `10.0.0.${10 + index}`;
}
