import type { Host } from "../kernel/host.ts";
import type { Network } from "../network/network.ts";
import type { ServiceConnection } from "../network/service.ts";
import { encodeCommand, fromBytes, toBytes } from "../redis/protocol/resp-encoder.ts";
import type { RedisServer } from "../redis/server.ts";
import type { Snapshot } from "../redis/keyspace/snapshot.ts";
import type { ReplicationSource } from "./replication-source.ts";
import { ReplicationStream } from "./replication-stream.ts";
import type { SnapshotExchange } from "./snapshot-exchange.ts";

export interface ReplicationLinkOptions {
  readonly host: Host;
  readonly network: Network;
  readonly server: RedisServer;
  readonly source: ReplicationSource;
  readonly exchange: SnapshotExchange;
  readonly master: { readonly host: string; readonly port: number };
  /** Runs an event of the server. */
  readonly turn: (run: () => void) => void;
  /** The master's data replaced the data. */
  readonly onSnapshot: (snapshot: Snapshot) => void;
}

type Stage = "ping" | "port" | "capabilities" | "psync" | "snapshot" | "stream";

/** One attempt at a time to follow a master: handshake, full or partial resynchronisation, then the stream. */
export class ReplicationLink {
  readonly #options: ReplicationLinkOptions;
  readonly #stream: ReplicationStream;
  #connection: ServiceConnection | undefined;
  #giveUp: (() => void) | undefined;
  #stage: Stage = "ping";
  #text = "";
  /** The state of this server after a full resynchronisation, once its data have arrived. */
  #promised: { readonly id: string; readonly offset: number } | undefined;
  #closed = false;

  constructor(options: ReplicationLinkOptions) {
    this.#options = options;
    this.#stream = new ReplicationStream(options.server, options.source, () => this.#acknowledge());
    this.#begin();
  }

  /** Call it once a second: it reconnects, acknowledges, and gives up a silent master. */
  cron(): void {
    const { server } = this.#options;
    const { replication } = server;
    if (replication.link === "connect") {
      this.#begin();
      return;
    }
    if (replication.link === "connected") this.#acknowledge();
    if (server.nowMs - replication.lastContactMs > server.config.number("repl-timeout") * 1000) this.#lose();
  }

  /** Ends it for good. */
  close(): void {
    this.#closed = true;
    this.#giveUp?.();
    this.#connection?.close();
  }

  #begin(): void {
    const { network, host, server, master, turn } = this.#options;
    this.#stage = "ping";
    this.#text = "";
    this.#promised = undefined;
    this.#stream.connect();
    server.replication.link = "connecting";
    server.replication.lastContactMs = server.nowMs;
    this.#giveUp = network.dial(host, master.host, master.port, {
      onConnect: (connection) => {
        this.#connection = connection;
        this.#send("PING");
        return {
          onData: (bytes) => {
            if (this.#isCurrent(connection)) turn(() => this.#receive(fromBytes(bytes)));
          },
          onClose: () => {
            if (this.#isCurrent(connection)) turn(() => this.#lose());
          },
        };
      },
      onFailure: () => turn(() => this.#lose()),
    });
  }

  #isCurrent(connection: ServiceConnection): boolean {
    return !this.#closed && this.#connection === connection;
  }

  /** An established link is remade at once, a failed attempt by the next cron. */
  #lose(): void {
    if (this.#closed) return;
    const { server } = this.#options;
    const { replication } = server;
    const stood = replication.link === "connected";
    const connection = this.#connection;
    this.#connection = undefined;
    this.#giveUp?.();
    connection?.close();
    replication.link = "connect";
    if (!stood) return;
    replication.linkDownSinceMs = server.nowMs;
    this.#begin();
  }

  #receive(text: string): void {
    this.#options.server.replication.lastContactMs = this.#options.server.nowMs;
    if (this.#stage === "stream") {
      this.#stream.receive(text);
      return;
    }
    this.#text += text;
    this.#handshake();
  }

  /** Lines, until the stream begins. */
  #handshake(): void {
    for (;;) {
      const end = this.#text.indexOf("\r\n");
      if (end < 0) return;
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      this.#answer(line);
      if (this.#stage === "stream") {
        const rest = this.#text;
        this.#text = "";
        this.#stream.receive(rest);
        return;
      }
    }
  }

  /** Handles one line of the handshake. */
  #answer(line: string): void {
    const { server } = this.#options;
    const { replication } = server;
    if (line.startsWith("-")) {
      this.#text = "";
      this.#lose();
      return;
    }
    switch (this.#stage) {
      case "ping":
        this.#next("port", "REPLCONF", "listening-port", server.config.text("port"));
        return;
      case "port":
        this.#next("capabilities", "REPLCONF", "capa", "eof", "capa", "psync2");
        return;
      case "capabilities":
        replication.link = "sync";
        this.#next("psync", "PSYNC", replication.id, String(replication.offset + 1));
        return;
      case "psync":
        this.#decide(line.slice(1).split(" "));
        return;
      case "snapshot":
        this.#replaceData(line);
        return;
      case "stream":
    }
  }

  #decide([kind, id = "", offset]: readonly string[]): void {
    const { server, source } = this.#options;
    const { replication } = server;
    if (kind !== "CONTINUE") {
      this.#promised = { id, offset: Number(offset) };
      this.#stage = "snapshot";
      return;
    }
    if (id !== "" && id !== replication.id) {
      replication.secondaryId = replication.id;
      replication.secondaryOffset = replication.offset + 1;
      replication.id = id;
      source.disconnectReplicas();
    }
    this.#stage = "stream";
    replication.link = "connected";
  }

  /** Until now the old data and their history were in force: a link that breaks earlier starts all over. */
  #replaceData(line: string): void {
    const { server, source, exchange, onSnapshot } = this.#options;
    const { replication } = server;
    const snapshot = exchange.take(line);
    if (snapshot === undefined || this.#promised === undefined) {
      throw new Error(`a master sent "${line}" where a snapshot was due`);
    }
    server.restore(snapshot);
    replication.id = this.#promised.id;
    replication.offset = this.#promised.offset;
    replication.secondaryId = "0".repeat(40);
    replication.secondaryOffset = -1;
    this.#stream.restart();
    source.restart();
    onSnapshot(snapshot);
    this.#stage = "stream";
    replication.link = "connected";
    this.#acknowledge();
  }

  #acknowledge(): void {
    const { replication, config, syncedOffset } = this.#options.server;
    const file = config.enabled("appendonly") ? ["FACK", String(Math.min(syncedOffset, replication.offset))] : [];
    this.#send("REPLCONF", "ACK", String(replication.offset), ...file);
  }

  #next(stage: Stage, ...argv: readonly string[]): void {
    this.#stage = stage;
    this.#send(...argv);
  }

  #send(...argv: readonly string[]): void {
    this.#connection?.write(toBytes(encodeCommand(argv)));
  }
}
