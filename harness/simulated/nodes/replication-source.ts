import { command, NO_KEYS, type Caller, type Command } from "../redis/command.ts";
import { type Effect, EffectStream } from "../redis/effects.ts";
import { ErrorReply, OK, type Reply } from "../redis/protocol/reply.ts";
import type { ReplicaView } from "../redis/replication-state.ts";
import { encodeCommand } from "../redis/protocol/resp-encoder.ts";
import type { RedisServer } from "../redis/server.ts";
import type { Session } from "../redis/session.ts";
import { Backlog } from "./backlog.ts";
import type { SnapshotExchange } from "./snapshot-exchange.ts";

interface Attached {
  readonly session: Session;
  readonly host: string;
  readonly port: number;
  state: ReplicaView["state"];
  offset: number;
  fileOffset: number;
  ackAtMs: number;
}

const GETACK = encodeCommand(["REPLCONF", "GETACK", "*"]);
const PING = encodeCommand(["PING"]);
const REPLCONF_OPTIONS = new Set(["capa", "ip-address", "rdb-only", "rdb-filter-only", "version"]);

/** The commands by which replicas attach to a server that has a source. */
export const replicationCommands: readonly Command[] = [
  command("psync", -3, "admin noscript no_async_loading no_multi", NO_KEYS, (argv, caller) =>
    sourceOf(caller).psync(argv, caller),
  ),
  command("replconf", -1, "admin noscript loading stale", NO_KEYS, (argv, caller) =>
    sourceOf(caller).replconf(argv, caller),
  ),
];

const sources = new WeakMap<RedisServer, ReplicationSource>();

function sourceOf({ server }: Caller): ReplicationSource {
  const source = sources.get(server);
  if (source === undefined) throw new Error("this server has no replication");
  return source;
}

/**
 * The sending side of replication: the stream and its backlog, and the attached replicas. A replica has one too, for
 * its own replicas: there the stream is what its master sent.
 */
export class ReplicationSource {
  readonly #server: RedisServer;
  readonly #exchange: SnapshotExchange;
  readonly #newId: () => string;
  readonly #stream = new EffectStream();
  readonly #replicas = new Map<Session, Attached>();
  /** Ports that connections announced before they became replicas. */
  readonly #announced = new WeakMap<Session, number>();
  #backlog: Backlog | undefined;
  #cronTurns = 0;
  #acknowledgementsWanted = false;

  /** @param newId draws the ID of a history of data */
  constructor(server: RedisServer, exchange: SnapshotExchange, newId: () => string) {
    this.#server = server;
    sources.set(server, this);
    this.#exchange = exchange;
    this.#newId = newId;
  }

  /**
   * Sends the changes on a master. Before any replica ever attached, the offset counts commands if there is a file,
   * because WAITAOF uses it to know how far the file is, and is otherwise unused.
   */
  feed(effects: readonly Effect[]): void {
    const { replication, config, isModern } = this.#server;
    if (this.#backlog !== undefined) this.append(this.#stream.encode(effects, "replicas"));
    else if (isModern && config.enabled("appendonly")) replication.offset += effects.length;
  }

  /** Adds to the stream: on a master what `feed` encoded, on a replica what its master sent. */
  append(text: string): void {
    if (text === "") return;
    const { replication } = this.#server;
    replication.offset += text.length;
    this.#backlog?.append(text);
    for (const { session, state } of this.#replicas.values()) if (state !== "wait_bgsave") session.sendRaw(text);
    this.#showBacklog();
  }

  /**
   * A master's data replaced the data: the stream continues at the present offset, and no replica can continue from
   * before it.
   */
  restart(): void {
    this.disconnectReplicas();
    this.#beginBacklog();
  }

  /** This server has become a master: its next command in the stream names its database. */
  begin(): void {
    this.disconnectReplicas();
    this.#stream.reset();
  }

  /** Ends the connections of all replicas; they reconnect and ask again. */
  disconnectReplicas(): void {
    for (const session of this.#replicas.keys()) session.kill();
    this.#replicas.clear();
    this.#showReplicas();
  }

  /** Call it once a second: it pings the replicas through the stream, and drops silent ones. */
  cron(): void {
    const server = this.#server;
    const timeoutMs = server.config.number("repl-timeout") * 1000;
    for (const { session, state, ackAtMs } of this.#replicas.values()) {
      if (state === "online" && server.nowMs - ackAtMs > timeoutMs) session.kill();
    }
    this.forgetClosed();
    this.countGoodReplicas();
    this.#cronTurns += 1;
    const period = server.config.number("repl-ping-replica-period");
    if (!server.isReplica && this.#replicas.size > 0 && this.#cronTurns % period === 0) this.append(PING);
  }

  /** Asks every replica once for its offset, before the server sleeps. */
  wantAcknowledgements(): void {
    this.#acknowledgementsWanted = true;
  }

  beforeSleep(): void {
    if (!this.#acknowledgementsWanted) return;
    this.#acknowledgementsWanted = false;
    if (this.#replicas.size > 0) this.append(GETACK);
  }

  /** How many replicas have acknowledged `offset`: as applied, or as synced to their disk. */
  reached(offset: number, field: "offset" | "fileOffset"): number {
    let count = 0;
    for (const replica of this.#replicas.values()) {
      if (!replica.session.closed && replica.state === "online" && replica[field] >= offset) count += 1;
    }
    return count;
  }

  /** Forgets replicas whose connection is gone. */
  forgetClosed(): void {
    let changed = false;
    for (const session of this.#replicas.keys()) {
      if (session.closed) changed = this.#replicas.delete(session) || changed;
    }
    if (changed) this.#showReplicas();
  }

  /** Counts again for min-replicas-to-write: once a second and when a replica comes or goes, not at each write. */
  countGoodReplicas(): void {
    const { replication, config, nowMs } = this.#server;
    replication.goodCount = undefined;
    replication.goodCount = replication.goodReplicas(nowMs, config.number("min-replicas-max-lag"));
  }

  /** PSYNC. */
  psync(argv: readonly string[], { session, server }: Caller): Reply {
    const { replication } = server;
    if (server.isReplica && replication.link !== "connected") {
      return new ErrorReply("NOMASTERLINK Can't SYNC while not connected with my master");
    }
    const [, id = "?", from = "-1"] = argv;
    const replica = this.#attach(session);
    const missing = this.#missing(id, Number(from));
    if (missing === undefined) this.#sendAll(replica);
    else {
      replica.state = "online";
      session.sendRaw(`+CONTINUE ${replication.id}\r\n${missing}`);
    }
    this.#showReplicas();
    return undefined;
  }

  #sendAll(replica: Attached): void {
    const { replication, isReplica } = this.#server;
    if (this.#backlog === undefined) {
      // No replica has attached yet, so nobody shares the history so far.
      if (!isReplica) {
        replication.id = this.#newId();
        replication.secondaryId = "0".repeat(40);
        replication.secondaryOffset = -1;
      }
      this.#beginBacklog();
    }
    // The next command in the stream names its database again: the replica does not know which was selected.
    this.#stream.reset();
    replica.state = "send_bulk";
    const snapshot = this.#exchange.offer(this.#server.snapshot());
    replica.session.sendRaw(`+FULLRESYNC ${replication.id} ${replication.offset}\r\n${snapshot}`);
  }

  /** What a replica that has the stream of `id` up to before `from` is missing; undefined when it needs everything. */
  #missing(id: string, from: number): string | undefined {
    const { replication } = this.#server;
    const isOurs = id === replication.id || (id === replication.secondaryId && from <= replication.secondaryOffset);
    return isOurs ? this.#backlog?.from(from) : undefined;
  }

  /** REPLCONF. */
  replconf(argv: readonly string[], { session }: Caller): Reply {
    const option = argv[1]?.toLowerCase() ?? "";
    const value = argv[2] ?? "";
    if (option === "ack") {
      const replica = this.#replicas.get(session);
      const fileOffset = argv[3]?.toLowerCase() === "fack" ? Number(argv[4]) : -1;
      if (replica !== undefined) this.#acknowledge(replica, Number(value), fileOffset);
      return undefined;
    }
    if (option === "listening-port") this.#announced.set(session, Number(value));
    else if (!REPLCONF_OPTIONS.has(option)) {
      return new ErrorReply(`ERR Unrecognized REPLCONF option: ${argv[1] ?? ""}`);
    }
    return OK;
  }

  #attach(session: Session): Attached {
    session.role = "replica";
    const replica: Attached = {
      session,
      host: session.peer.slice(0, session.peer.lastIndexOf(":")),
      port: this.#announced.get(session) ?? 0,
      state: "wait_bgsave",
      offset: 0,
      fileOffset: 0,
      ackAtMs: this.#server.nowMs,
    };
    this.#replicas.set(session, replica);
    return replica;
  }

  #acknowledge(replica: Attached, offset: number, fileOffset: number): void {
    const isNew = replica.state !== "online";
    replica.state = "online";
    replica.offset = Math.max(replica.offset, offset);
    replica.fileOffset = Math.max(replica.fileOffset, fileOffset);
    replica.ackAtMs = this.#server.nowMs;
    if (isNew) this.countGoodReplicas();
  }

  #beginBacklog(): void {
    const { replication, config } = this.#server;
    this.#stream.reset();
    this.#backlog = new Backlog(replication.offset + 1, config.number("repl-backlog-size"));
    replication.backlogActive = true;
    this.#showBacklog();
  }

  /** Keeps what INFO, ROLE and min-replicas read up to date. The views are live. */
  #showReplicas(): void {
    this.#server.replication.replicas = [...this.#replicas.values()].filter(({ session }) => !session.closed);
    this.countGoodReplicas();
  }

  #showBacklog(): void {
    if (this.#backlog === undefined) return;
    const { replication } = this.#server;
    replication.backlogFirstOffset = this.#backlog.first;
    replication.backlogLength = this.#backlog.length;
  }
}
