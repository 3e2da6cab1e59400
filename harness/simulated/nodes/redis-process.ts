import { UserError } from "../../core/errors.ts";
import type { Host } from "../kernel/host.ts";
import type { Network } from "../network/network.ts";
import type { ConnectionHandler, ServiceConnection } from "../network/service.ts";
import type { Effect } from "../redis/effects.ts";
import { createServer, type RedisServer, type RedisVersion } from "../redis/server.ts";
import type { WaitFileRequest, WaitRequest, WorldHooks } from "../redis/world-hooks.ts";
import type { Disk } from "./disk.ts";
import { FileSync } from "./file-sync.ts";
import { ReplicationLink } from "./replication-link.ts";
import { replicationCommands, ReplicationSource } from "./replication-source.ts";
import type { SnapshotExchange } from "./snapshot-exchange.ts";
import { Waits } from "./waits.ts";

export const REDIS_PORT = 6379;
const CRON_US = 100_000;

export interface MasterAddress {
  readonly host: string;
  readonly port: number;
}

/** A redis.conf. */
export interface NodeConfiguration {
  readonly directives: Readonly<Record<string, string>>;
  /** The master to follow; absent for a master. */
  readonly master?: MasterAddress | undefined;
}

/** The environment of a process, the same in each of its lives. */
export interface ProcessWorld {
  readonly host: Host;
  readonly network: Network;
  readonly exchange: SnapshotExchange;
  readonly disk: Disk;
  readonly version: RedisVersion;
  /** CONFIG REWRITE. */
  readonly rewriteConfiguration: (configuration: NodeConfiguration) => void;
  /** It became a master by command. */
  readonly onPromotion: () => void;
  /** Given every change of the data. */
  readonly onEffects: (effects: readonly Effect[]) => void;
  /** Where a peer reaches a server; absent: at the server's own address. */
  readonly placeFor?: WorldHooks["placeFor"] | undefined;
  /** After each turn of its loop. */
  readonly onTurn?: (() => void) | undefined;
}

/**
 * One life of a Redis server: the server, its connections, its cron, its file, its replication. It ends with its host's
 * life.
 */
export class RedisProcess {
  readonly server: RedisServer;
  readonly #world: ProcessWorld;
  readonly #life: number;
  readonly #file: FileSync;
  readonly #source: ReplicationSource;
  readonly #waits: Waits;
  #link: ReplicationLink | undefined;
  #turns = 0;

  /** Reads the disk, listens, and follows its master if it has one. */
  constructor(world: ProcessWorld, { directives, master }: NodeConfiguration) {
    const { host, disk } = world;
    this.#world = world;
    this.#life = host.life;
    this.server = createServer({
      version: world.version,
      nowUs: () => Math.floor(host.clock.wallUs()),
      random: host.random(`server-${host.life}`),
      config: { port: String(REDIS_PORT), ...directives },
      onEffects: (effects) => this.#record(effects),
      commands: replicationCommands,
      hooks: {
        wait: (request) => this.#wait(request),
        waitForFile: (request) => this.#waitForFile(request),
        replicaOf: (address) => (address === undefined ? this.#promote() : this.#follow(address)),
        rewriteConfiguration: () => this.#rewriteConfiguration(),
        configurationChanged: (names) => this.#reconfigure(names),
        save: () => disk.save(this.server.snapshot()),
        rewriteFile: () => this.#rewriteFile(),
        shutdown: (save) => this.#shutDown(save === true),
        placeFor: world.placeFor,
        absentCommand: (name) => host.fail("a command", notSimulated(name)),
        clusterWanted: (command) => host.fail("a command", noCluster(command)),
        httpWanted: () => host.fail("a command", noHttp(host.name)),
        protocolBroken: (what) => host.fail("a request", noRequest(host.name, what)),
      },
    });
    const { server } = this;
    this.#source = new ReplicationSource(server, world.exchange, () => this.#newReplicationId());
    this.#waits = new Waits(server);
    this.#file = new FileSync(host, server, disk, () => this.turn(() => {}));
    // A replica keeps expired keys until its master deletes them, including those that it loads from disk.
    server.replication.master = master;
    disk.load(server);
    world.network.listen(host, REDIS_PORT, { onConnect: (connection) => this.#accept(connection) });
    if (master !== undefined) this.turn(() => this.#follow(master));
    host.timer(host.random("cron").integer(1, CRON_US), "cron", () => this.#cron());
  }

  /**
   * Runs an event of the server's loop. Before the loop sleeps again, and before any reply leaves, the file is written,
   * and connections that waited for it or for replicas are answered.
   */
  turn(run: () => void): void {
    this.server.enter(() => {
      run();
      do {
        if (this.#isOver) return;
        this.server.runUnblocked();
        this.#file.flush();
      } while (this.#waits.settle());
      this.#source.beforeSleep();
    });
    this.#world.onTurn?.();
  }

  get #isOver(): boolean {
    return this.#world.host.life !== this.#life;
  }

  #accept(connection: ServiceConnection): ConnectionHandler {
    const session = this.server.connect({
      peer: `${connection.remoteAddress}:${connection.remotePort}`,
      local: `${connection.localAddress}:${connection.localPort}`,
      onOutput: (bytes) => connection.write(bytes),
      onClose: () => connection.close(),
      observer: connection.tap,
    });
    return {
      onData: (bytes) => this.turn(() => session.receive(bytes)),
      onClose: () => {
        session.disconnect();
        if (session.role === "replica") this.turn(() => this.#source.forgetClosed());
      },
    };
  }

  /** Ten times a second, as with `hz 10`. */
  #cron(): void {
    this.#turns += 1;
    this.turn(() => {
      this.server.activeExpire();
      this.server.resumePaused();
      if (this.#turns % 10 !== 0) return;
      this.#link?.cron();
      this.#source.cron();
    });
    this.#world.host.timer(CRON_US, "cron", () => this.#cron());
  }

  /** On a replica its own replicas get the master's stream, not these effects. */
  #record(effects: readonly Effect[]): void {
    const { server } = this;
    if (server.loading || this.#isOver) return;
    this.#world.onEffects(effects);
    if (!server.isReplica) this.#source.feed(effects);
    if (server.config.enabled("appendonly")) this.#world.disk.append(effects);
  }

  #wait(request: WaitRequest): void {
    const { session, replicas, timeoutMs, offset } = request;
    const count = (): number => this.#source.reached(offset, "offset");
    this.#source.wantAcknowledgements();
    this.#waits.add({ session, timeoutMs, done: () => count() >= replicas, answer: () => request.resolve(count()) });
  }

  #waitForFile(request: WaitFileRequest): void {
    const { server } = this;
    const { session, replicas, local, timeoutMs, offset } = request;
    const count = (): number => this.#source.reached(offset, "fileOffset");
    const isSynced = (): number => (server.config.enabled("appendonly") && server.syncedOffset >= offset ? 1 : 0);
    this.#source.wantAcknowledgements();
    this.#waits.add({
      session,
      timeoutMs,
      done: () => count() >= replicas && isSynced() >= local,
      answer: () => request.resolve(isSynced(), count()),
    });
  }

  #rewriteConfiguration(): true {
    const { config, replication } = this.server;
    this.#world.rewriteConfiguration({ directives: Object.fromEntries(config.entries()), master: replication.master });
    return true;
  }

  #reconfigure(names: readonly string[]): void {
    // CONFIG SET appendonly yes writes all data first.
    if (names.includes("appendonly") && this.server.config.enabled("appendonly")) this.#rewriteFile();
    this.#source.countGoodReplicas();
  }

  #rewriteFile(): void {
    this.#world.disk.rewrite(this.server.snapshot());
    this.#file.restart();
  }

  /** An orderly end: written data is synced. */
  #shutDown(save: boolean): void {
    if (save) this.#world.disk.save(this.server.snapshot());
    this.#world.disk.sync();
    this.#world.host.kill();
  }

  /** Its own replicas stay until the new master's answer says that their history is another. */
  #follow(master: MasterAddress): void {
    const { server } = this;
    this.#link?.close();
    this.#waits.refuseAll();
    server.replication.master = master;
    const { host, network, exchange, disk } = this.#world;
    this.#link = new ReplicationLink({
      host,
      network,
      server,
      source: this.#source,
      exchange,
      master,
      turn: (run) => this.turn(run),
      onSnapshot: (snapshot) => {
        if (!server.config.enabled("appendonly")) return;
        disk.rewrite(snapshot);
        this.#file.restart();
      },
    });
  }

  /** The history so far becomes the second one, with which the other replicas can continue without a full copy. */
  #promote(): void {
    const { replication } = this.server;
    this.#link?.close();
    this.#link = undefined;
    replication.secondaryId = replication.id;
    replication.secondaryOffset = replication.offset + 1;
    replication.id = this.#newReplicationId();
    replication.master = undefined;
    this.#source.begin();
    this.#world.onPromotion();
  }

  #newReplicationId(): string {
    return Buffer.from(this.#world.host.random("replication").bytes(20)).toString("hex");
  }
}

function notSimulated(command: string): UserError {
  return new UserError(
    `the simulated servers have no ${command}, which the lock uses`,
    "try it on real servers: --backend containers",
  );
}

function noCluster(command: string): UserError {
  return new UserError(
    `the lock's client asks for a cluster (${command}), and there is none`,
    "let the driver connect a client of one server, with the same lock",
  );
}

function noHttp(node: string): UserError {
  return new UserError(
    `the lock's client sends HTTP requests to ${node}, which speaks only the protocol of Redis`,
    "let the driver connect a client of that protocol, with the same lock",
  );
}

function noRequest(node: string, what: string): UserError {
  return new UserError(
    `the lock's client does not speak the protocol of Redis (RESP) to ${node}: ${what}`,
    "a lock with servers of its own cannot be tested here; let the driver connect a client of Redis",
  );
}
