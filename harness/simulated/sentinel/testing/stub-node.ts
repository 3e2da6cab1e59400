import type { Host } from "../../kernel/host.ts";
import type { Network } from "../../network/network.ts";
import type { ConnectionHandler, ServiceConnection } from "../../network/service.ts";
import { insert, PubSub, type Subscriber } from "../../redis/pubsub.ts";
import { ErrorReply, MapReply, OK, PushReply, QUEUED, StatusReply, type Reply } from "../../redis/protocol/reply.ts";
import { encodeCommand, encodeReply, fromBytes, toBytes, type Protocol } from "../../redis/protocol/resp-encoder.ts";
import { RequestParser } from "../../redis/protocol/resp-parser.ts";
import type { NodeAddress } from "../node-address.ts";
import type { WorldNode } from "./sentinel-group.ts";
import { StubReplication } from "./stub-replication.ts";

export const NODE_PORT = 6379;

/**
 * A data node as Sentinels, and a client that only sets and gets, see it: role, replication over the network,
 * subscriptions, transactions, and a configuration that survives its process. Data do not survive. For tests of
 * Sentinels only.
 */
export class StubNode implements WorldNode {
  readonly host: Host;
  readonly network: Network;
  /** The content of its configuration file: its master and its priority. */
  saved: { master: NodeAddress | undefined; priority: number };
  runId = "";
  /** Its answer to PING instead of PONG. */
  pingError: string | undefined;
  /** Its answer to INFO instead of the real one. */
  infoError: string | undefined;
  data = new Map<string, string>();
  readonly sessions = new Set<StubSession>();
  readonly pubsub = new PubSub();
  replication: StubReplication;

  constructor(host: Host, network: Network, saved: { master?: NodeAddress; priority?: number } = {}) {
    this.host = host;
    this.network = network;
    this.saved = { master: saved.master, priority: saved.priority ?? 100 };
    this.replication = new StubReplication(this);
  }

  get isMaster(): boolean {
    return this.replication.master === undefined;
  }

  /** Starts its process: at first, and again after its host was killed. */
  start(): void {
    this.host.start();
    this.runId = Buffer.from(this.host.random("run id").bytes(20)).toString("hex");
    this.data = new Map();
    this.sessions.clear();
    this.network.listen(this.host, NODE_PORT, { onConnect: (connection) => new StubSession(this, connection) });
    this.replication = new StubReplication(this);
    this.replication.start(this.saved.master);
  }

  /** The text of INFO. */
  info(): string {
    const lines = [`run_id:${this.runId}`, ...this.replication.info(), `slave_priority:${this.saved.priority}`];
    return `# Server\r\n${lines.join("\r\n")}\r\n`;
  }
}

type Run = (argv: readonly string[]) => Reply;

/** One connection to a stub node. */
export class StubSession implements ConnectionHandler, Subscriber {
  readonly channels = new Set<string>();
  readonly patterns = new Set<string>();
  readonly shardChannels = new Set<string>();
  readonly #node: StubNode;
  readonly #connection: ServiceConnection;
  readonly #parser = new RequestParser();
  readonly #commands: ReadonlyMap<string, Run>;
  #protocol: Protocol = 2;
  #queue: (readonly string[])[] | undefined;
  isReplica = false;

  constructor(node: StubNode, connection: ServiceConnection) {
    this.#node = node;
    this.#connection = connection;
    this.#commands = this.#table();
    node.sessions.add(this);
  }

  get address(): string {
    return this.#connection.remoteAddress;
  }

  onData(bytes: Buffer): void {
    this.#parser.push(fromBytes(bytes));
    for (;;) {
      const request = this.#parser.next(true);
      if (request === undefined) return;
      if ("protocolError" in request) throw new Error(request.protocolError);
      this.send(encodeReply(this.#answer(request), this.#protocol));
    }
  }

  onClose(): void {
    this.#node.sessions.delete(this);
    this.#node.pubsub.drop(this);
  }

  push(message: PushReply): void {
    this.send(encodeReply(message, this.#protocol));
  }

  send(text: string): void {
    if (text !== "") this.#connection.write(toBytes(text));
  }

  close(): void {
    this.#connection.close();
  }

  #answer(argv: readonly string[]): Reply {
    const name = (argv[0] ?? "").toLowerCase();
    if (this.#queue !== undefined && name !== "exec") {
      this.#queue.push(argv);
      return QUEUED;
    }
    return this.#commands.get(name)?.(argv) ?? (this.#commands.has(name) ? undefined : new ErrorReply(`ERR ${name}`));
  }

  #table(): Map<string, Run> {
    const node = this.#node;
    const slaveOf: Run = ([, host = "", port = ""]) => {
      node.replication.follow(host.toLowerCase() === "no" ? undefined : { host, port: Number(port) });
      return OK;
    };
    return new Map<string, Run>([
      ["ping", () => (node.pingError === undefined ? new StatusReply("PONG") : new ErrorReply(node.pingError))],
      ["info", () => (node.infoError === undefined ? node.info() : new ErrorReply(node.infoError))],
      ["role", () => (node.replication.master === undefined ? ["master", 0, []] : ["slave"])],
      ["hello", (argv) => this.#hello(argv)],
      ["client", (argv) => this.#client(argv)],
      ["config", () => this.#rewrite()],
      ["slaveof", slaveOf],
      ["replicaof", slaveOf],
      ["multi", () => this.#begin()],
      ["exec", () => this.#execute()],
      ["subscribe", (argv) => this.#subscribe(argv[1] ?? "")],
      ["publish", (argv) => node.pubsub.publish(argv[1] ?? "", argv[2] ?? "")],
      ["get", (argv) => node.data.get(argv[1] ?? "") ?? null],
      ["set", (argv) => this.#set(argv)],
      ["psync", () => this.#follow()],
      ["replconf", () => undefined],
    ]);
  }

  #hello([, protocol]: readonly string[]): Reply {
    this.#protocol = protocol === "3" ? 3 : 2;
    return new MapReply(["server", "redis", "proto", this.#protocol]);
  }

  #client([, sub = "", , type]: readonly string[]): Reply {
    if (sub.toLowerCase() !== "kill") return OK;
    const killed = [...this.#node.sessions].filter(
      (each) => each !== this && !each.isReplica && each.channels.size > 0 === (type === "pubsub"),
    );
    for (const session of killed) session.close();
    return killed.length;
  }

  #rewrite(): Reply {
    this.#node.saved.master = this.#node.replication.master;
    return OK;
  }

  #begin(): Reply {
    this.#queue = [];
    return OK;
  }

  #execute(): Reply {
    const queue = this.#queue ?? [];
    this.#queue = undefined;
    return queue.map((argv) => this.#answer(argv));
  }

  #subscribe(channel: string): Reply {
    this.channels.add(channel);
    insert(this.#node.pubsub.channels, channel, this);
    return new PushReply(["subscribe", channel, this.channels.size]);
  }

  #set(argv: readonly string[]): Reply {
    const { replication, data } = this.#node;
    if (replication.master !== undefined) {
      return new ErrorReply("READONLY You can't write against a read only replica.");
    }
    data.set(argv[1] ?? "", argv[2] ?? "");
    replication.propagate(encodeCommand(argv));
    return OK;
  }

  #follow(): Reply {
    this.isReplica = true;
    return JSON.stringify({ data: [...this.#node.data], offset: this.#node.replication.offset });
  }
}
