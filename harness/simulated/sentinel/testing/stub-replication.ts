import type { ServiceConnection } from "../../network/service.ts";
import { encodeCommand, fromBytes, toBytes } from "../../redis/protocol/resp-encoder.ts";
import type { NodeAddress } from "../node-address.ts";
import { RequestParser } from "../../redis/protocol/resp-parser.ts";
import type { StubNode } from "./stub-node.ts";

const CRON_US = 1_000_000;

/** Replication of a stub node: a connection to its master, attempted each second, and a stream of commands. */
export class StubReplication {
  master: NodeAddress | undefined;
  /** How many bytes of the stream it has seen. */
  offset = 0;
  readonly #node: StubNode;
  #connection: ServiceConnection | undefined;
  #giveUp: (() => void) | undefined;
  #downSinceMs: number | undefined;
  #isSynchronized = false;
  #isFollowing = 0;

  constructor(node: StubNode) {
    this.#node = node;
  }

  start(master: NodeAddress | undefined): void {
    this.master = master;
    this.#cron();
  }

  /** Becomes a replica, or a master. */
  follow(master: NodeAddress | undefined): void {
    if (this.master?.host === master?.host && this.master?.port === master?.port) return;
    this.#disconnect();
    this.master = master;
    this.#downSinceMs = undefined;
    if (master === undefined) return;
    for (const session of this.#node.sessions) if (session.isReplica) session.close();
    this.#connect(master);
  }

  /** A master's command goes to its replicas. */
  propagate(command: string): void {
    this.offset += command.length;
    for (const session of this.#node.sessions) if (session.isReplica) session.send(command);
  }

  info(): readonly string[] {
    const { master, offset } = this;
    if (master === undefined) {
      const replicas = [...this.#node.sessions].filter((session) => session.isReplica);
      return [
        "role:master",
        `connected_slaves:${replicas.length}`,
        ...replicas.map(
          ({ address }, index) => `slave${index}:ip=${address},port=6379,state=online,offset=${offset},lag=0`,
        ),
      ];
    }
    const nowMs = this.#node.host.clock.wallMs();
    const down = this.#downSinceMs === undefined ? -1 : Math.floor((nowMs - this.#downSinceMs) / 1000);
    return [
      "role:slave",
      `master_host:${master.host}`,
      `master_port:${master.port}`,
      `master_link_status:${this.#isSynchronized ? "up" : "down"}`,
      `slave_repl_offset:${offset}`,
      ...(this.#isSynchronized ? [] : [`master_link_down_since_seconds:${down}`]),
    ];
  }

  #cron(): void {
    if (this.master === undefined) this.propagate(encodeCommand(["PING"]));
    else if (this.#giveUp === undefined) this.#connect(this.master);
    this.#node.host.timer(CRON_US, "stub cron", () => this.#cron());
  }

  #connect({ host, port }: NodeAddress): void {
    this.#isFollowing += 1;
    const attempt = this.#isFollowing;
    const gone = (): void => {
      if (attempt === this.#isFollowing) this.#disconnect();
    };
    this.#giveUp = this.#node.network.dial(this.#node.host, host, port, {
      onConnect: (connection) => {
        this.#connection = connection;
        connection.write(toBytes(encodeCommand(["PSYNC", "?", "-1"])));
        const reader = new StreamReader(this.#node, this, () => (this.#isSynchronized = true));
        return {
          onData: (bytes) => {
            if (attempt === this.#isFollowing) reader.read(fromBytes(bytes));
          },
          onClose: gone,
        };
      },
      onFailure: gone,
    });
  }

  #disconnect(): void {
    this.#isFollowing += 1;
    if (this.#isSynchronized) this.#downSinceMs = this.#node.host.clock.wallMs();
    this.#isSynchronized = false;
    this.#giveUp?.();
    this.#connection?.close();
    this.#giveUp = undefined;
    this.#connection = undefined;
  }
}

/** A replica's handling of its master's stream: first all data, then commands. */
class StreamReader {
  readonly #node: StubNode;
  readonly #replication: StubReplication;
  readonly #onSynchronized: () => void;
  readonly #parser = new RequestParser();
  #head = "";
  #hasData = false;

  constructor(node: StubNode, replication: StubReplication, onSynchronized: () => void) {
    this.#node = node;
    this.#replication = replication;
    this.#onSynchronized = onSynchronized;
  }

  read(text: string): void {
    if (this.#hasData) {
      this.#apply(text);
      return;
    }
    this.#head += text;
    const lineEnd = this.#head.indexOf("\r\n");
    const end = lineEnd + 2 + Number(this.#head.slice(1, lineEnd));
    if (lineEnd < 0 || this.#head.length < end + 2) return;
    const { data, offset } = JSON.parse(this.#head.slice(lineEnd + 2, end)) as {
      data: [string, string][];
      offset: number;
    };
    this.#node.data = new Map(data);
    this.#replication.offset = offset;
    this.#hasData = true;
    this.#onSynchronized();
    this.#apply(this.#head.slice(end + 2));
  }

  #apply(text: string): void {
    this.#parser.push(text);
    for (;;) {
      const request = this.#parser.next(true);
      if (request === undefined) return;
      if ("protocolError" in request) throw new Error(request.protocolError);
      this.#replication.offset += encodeCommand(request).length;
      const [name, key = "", value = ""] = request;
      if (name?.toLowerCase() === "set") this.#node.data.set(key, value);
    }
  }
}
