import type { Random } from "../../core/random.ts";
import type { Command } from "./command.ts";
import { buildCommands } from "./command-table.ts";
import { BlockedClients, isAwaited } from "./blocking.ts";
import { Configuration } from "./configuration/configuration.ts";
import { Database, type DatabaseOwner, type TouchedBy } from "./keyspace/database.ts";
import { EffectRecorder, type EffectSink } from "./effects.ts";
import { performEvictions } from "./keyspace/eviction.ts";
import { applyEffect } from "./execute.ts";
import type { EventClass } from "./notifications.ts";
import { PubSub } from "./pubsub.ts";
import { ReplicationState } from "./replication-state.ts";
import { FunctionLibraries } from "./scripting/function-libraries.ts";
import { ScriptCache } from "./scripting/script-cache.ts";
import { Session, type SessionOptions } from "./session.ts";
import type { StoredValue } from "./keyspace/values.ts";
import { expireFields } from "./keyspace/hash-fields.ts";
import { restoreSnapshot, takeSnapshot, type Snapshot } from "./keyspace/snapshot.ts";
import { TrackedKeys } from "./caching/tracked-keys.ts";
import type { WorldHooks } from "./world-hooks.ts";

/** The versions that were compared with real servers. */
export type RedisVersion = "8.0.2" | "7.0.15";

const NO_COMMANDS: readonly Command[] = [];

export interface ServerOptions {
  /** 8.0.2 when absent. */
  readonly version?: RedisVersion;
  /** The server's wall clock: integer microseconds of Unix time. It may jump either way. */
  readonly nowUs: () => number;
  /** Randomness of this server: its ID, random members, evictions. */
  readonly random: Random;
  /** Directives as in redis.conf, for example `{"maxmemory": "1mb"}`. */
  readonly config?: Readonly<Record<string, string>>;
  /** Receives the effects for replicas and the append-only file, before any reply that depends on them is sent. */
  readonly onEffects?: EffectSink;
  readonly hooks?: WorldHooks;
  /**
   * Commands in addition to the usual ones or in their place: PSYNC and REPLCONF from the replication, SENTINEL, ...
   */
  readonly commands?: readonly Command[];
}

/**
 * A Redis server as a state machine: bytes of connections in, bytes out, at once and without side effects. It has no
 * timers: its owner regularly calls `activeExpire`, as the real server's cron does ten times a second, and resumes
 * connections that `WAIT` blocked.
 */
export class RedisServer implements DatabaseOwner {
  readonly version: RedisVersion;
  readonly config: Configuration;
  readonly random: Random;
  readonly hooks: WorldHooks;
  readonly commands: ReadonlyMap<string, Command>;
  readonly databases: readonly Database[];
  readonly pubsub = new PubSub();
  readonly tracked = new TrackedKeys();
  readonly blocked = new BlockedClients(this);
  readonly scripts: ScriptCache;
  readonly functions: FunctionLibraries;
  readonly replication: ReplicationState;
  readonly effects: EffectRecorder;
  readonly sessions = new Map<number, Session>();
  /** ID of this process, 40 hexadecimal digits. */
  readonly runId: string;
  readonly startedAtMs: number;
  readonly statistics = { commands: 0, connections: 0, hits: 0, misses: 0, expired: 0, evicted: 0 };

  loading = false;
  obeysMaster = false;
  touches = true;
  nowMs: number;
  /** Clients are paused until this time of the wall clock; `pausedWritesOnly` says for which commands. */
  pausedUntilMs = 0;
  pausedWritesOnly = false;
  /** False while DEBUG SET-ACTIVE-EXPIRE 0 is in force. */
  activeExpireEnabled = true;
  /** Grows with each change of the data; a command that changed it is propagated. */
  dirty = 0;
  /**
   * The effects to propagate instead of the running command (empty: none), and whether to propagate although nothing
   * changed.
   */
  rewritten: readonly string[] | undefined;
  forced: "no" | "replicas" | "everywhere" = "no";
  outOfMemory = false;
  /** The session whose command is running. */
  current: Session | undefined;
  /** Offset of the replication stream up to which the append-only file is on disk. Its owner keeps it up to date. */
  syncedOffset = 0;
  lastSaveMs: number;
  dirtyAtLastSave = 0;
  #nextClientId = 1;
  #effectSession: Session | undefined;
  #depth = 0;
  #unitDepth = 0;
  readonly #talking = new Set<Session>();
  #unblocked = new Set<Session>();
  readonly #nowUs: () => number;

  constructor(options: ServerOptions) {
    this.version = options.version ?? "8.0.2";
    this.random = options.random;
    this.#nowUs = options.nowUs;
    this.nowMs = Math.floor(options.nowUs() / 1000);
    this.startedAtMs = this.nowMs;
    this.lastSaveMs = this.nowMs;
    this.config = new Configuration(options.config ?? {});
    this.hooks = options.hooks ?? {};
    this.effects = new EffectRecorder(options.onEffects, this.isModern);
    this.commands = buildCommands(this.version, options.commands ?? NO_COMMANDS);
    this.databases = Array.from({ length: this.config.number("databases") }, (_, id) => new Database(id, this));
    this.scripts = new ScriptCache(this);
    this.functions = new FunctionLibraries(this);
    this.runId = this.#hexadecimal();
    this.replication = new ReplicationState(this.#hexadecimal());
  }

  /** True for behaviour that came after 7.0. */
  get isModern(): boolean {
    return this.version !== "7.0.15";
  }

  get isReplica(): boolean {
    return this.replication.isReplica;
  }

  get isWritableReplica(): boolean {
    return this.isReplica && !this.config.enabled("replica-read-only");
  }

  get expiryPaused(): boolean {
    return this.isPaused;
  }

  /** True while CLIENT PAUSE is in force. */
  get isPaused(): boolean {
    return this.pausedUntilMs > this.nowMs;
  }

  /** The wall clock now, in microseconds, even while the command clock is frozen. */
  nowUs(): number {
    return this.#nowUs();
  }

  database(id: number): Database {
    const database = this.databases[id];
    if (database === undefined) throw new RangeError(`no database ${id}`);
    return database;
  }

  /** Opens a connection. */
  connect(options: SessionOptions): Session {
    const session = new Session(this, this.#nextClientId, options);
    this.#nextClientId += 1;
    this.statistics.connections += 1;
    this.sessions.set(session.id, session);
    return session;
  }

  /**
   * Runs code that may change data or answer connections; then sends the output of the connections, in the order in
   * which they were first written to. All calls from outside go through here.
   */
  enter<T>(work: () => T): T {
    if (this.#depth === 0) this.nowMs = Math.floor(this.#nowUs() / 1000);
    this.#depth += 1;
    try {
      return work();
    } finally {
      if (this.#depth === 1) {
        this.runUnblocked();
        this.tracked.broadcast();
      }
      this.#depth -= 1;
      if (this.#depth === 0) this.#sendReplies();
    }
  }

  /** A connection that was blocked shall run the requests that came meanwhile, after the current one. */
  goOnLater(session: Session): void {
    this.#unblocked.add(session);
  }

  /** Answers blocked connections whose time is over, and runs requests that others sent while they were blocked. */
  runUnblocked(): void {
    this.blocked.expire();
    while (this.#unblocked.size > 0) {
      const unblocked = this.#unblocked;
      this.#unblocked = new Set();
      for (const session of unblocked) session.goOn();
    }
  }

  /** A command begins: if it changes anything, it is propagated as it is, unless it says otherwise. */
  propagateAsUsual(): void {
    this.rewritten = undefined;
    this.forced = "no";
  }

  /** Runs one execution unit: its effects go out together when the outermost unit has ended. */
  unit<T>(atomic: boolean, work: () => T): T {
    this.beginUnit();
    try {
      return work();
    } finally {
      this.endUnit(atomic);
    }
  }

  /** As `unit`, in two parts. */
  beginUnit(): void {
    this.#unitDepth += 1;
  }

  endUnit(atomic: boolean): void {
    this.#unitDepth -= 1;
    if (this.#unitDepth === 0) this.effects.flush(atomic);
  }

  /** The connection in whose name effects are applied. It has no peer. */
  effectSession(): Session {
    if (this.#effectSession === undefined) {
      this.#effectSession = new Session(this, 0, { onOutput: () => {} });
      this.#effectSession.role = "master";
      this.#effectSession.authenticated = true;
    }
    return this.#effectSession;
  }

  /** A session has output to send; it is sent at the end of the call from outside. */
  willSend(session: Session): void {
    this.#talking.add(session);
    if (this.#depth === 0) this.#sendReplies();
  }

  #sendReplies(): void {
    while (this.#talking.size > 0) {
      for (const session of this.#talking) {
        this.#talking.delete(session);
        session.flush();
      }
    }
  }

  /**
   * Applies an effect that came from the master, or from the append-only file. Expiry does not interfere: a key lives
   * until its deletion arrives. MULTI and EXEC are ignored: pass the effects of one unit together.
   */
  apply(effects: readonly { readonly database: number; readonly argv: readonly string[] }[]): void {
    this.enter(() => {
      this.unit(true, () => effects.forEach((effect) => applyEffect(this, effect.database, effect.argv)));
      this.blocked.serve();
    });
  }

  /**
   * Deletes keys whose time is over, as the real server's cron does in the background; at most `limit` of them. Returns
   * how many. Does nothing on a replica, while loading, while paused, or after DEBUG SET-ACTIVE-EXPIRE 0.
   */
  activeExpire(limit = Number.POSITIVE_INFINITY): number {
    return this.enter(() => {
      if (!this.activeExpireEnabled || this.isReplica || this.loading || this.isPaused) return 0;
      let expired = 0;
      for (const database of this.databases) {
        // Of nearly all databases, nearly always: this runs ten times a second.
        if (database.slots.size === 0) continue;
        for (const key of [...database.expires.keys()]) {
          if (expired >= limit) return expired;
          if (!database.isExpired(key)) continue;
          this.unit(true, () => database.expire(key));
          expired += 1;
        }
        if (!database.mayHaveExpiringFields) continue;
        for (const [key, { value }] of [...database.slots]) {
          if (value.type !== "hash" || value.expires.size === 0) continue;
          expired += this.unit(true, () => expireFields(this, database, key, value, limit - expired));
        }
      }
      return expired;
    });
  }

  /** Resumes connections that CLIENT PAUSE held, if its time is over. To be called from the owner's cron. */
  resumePaused(): void {
    this.enter(() => {
      if (this.isPaused) return;
      for (const session of this.sessions.values()) session.resumeAfterPause();
    });
  }

  /** Frees memory down to maxmemory, if set. False when that is impossible. */
  freeMemory(): boolean {
    return performEvictions(this);
  }

  /** A copy of all data and function libraries, as in a full resynchronization or an RDB file. */
  snapshot(): Snapshot {
    return takeSnapshot(this.databases, this.functions.codes);
  }

  /**
   * Replaces all data and function libraries. A master drops keys that have expired meanwhile, a replica keeps them
   * until its master deletes them.
   */
  restore(snapshot: Snapshot): void {
    this.enter(() => {
      this.functions.restore(snapshot.libraries);
      restoreSnapshot(this.databases, snapshot, this.isReplica ? undefined : this.nowMs);
      this.tracked.flushed(this.sessions.values());
    });
  }

  keyAdded(database: Database, key: string, value: StoredValue): void {
    if (isAwaited(value)) this.blocked.signal(database, key);
  }

  streamRemoved(database: Database, key: string): void {
    this.blocked.signalRemoved(database, key);
  }

  keyTouched(key: string, by: TouchedBy): void {
    if (this.tracked.isInUse) this.tracked.changed(key, by, this.current);
  }

  notify(kind: EventClass, event: string, key: string, database: number): void {
    if (this.config.notifications.silent) return;
    for (const [channel, message] of this.config.notifications.channels(kind, event, key, database)) {
      this.pubsub.publish(channel, message);
    }
  }

  propagateDeletion(database: number, key: string): void {
    const lazy = this.config.enabled("lazyfree-lazy-expire");
    this.effects.add(database, [lazy ? "UNLINK" : "DEL", key]);
  }

  countLookup(hit: boolean): void {
    if (hit) this.statistics.hits += 1;
    else this.statistics.misses += 1;
  }

  countExpired(): void {
    this.statistics.expired += 1;
  }

  /** True when min-replicas-to-write forbids writing. */
  lacksReplicas(): boolean {
    const wanted = this.config.minReplicasToWrite;
    if (this.isReplica || wanted === 0) return false;
    const lag = this.config.number("min-replicas-max-lag");
    if (lag === 0) return false;
    return this.replication.goodReplicas(this.nowMs, lag) < wanted;
  }

  /** True on a replica that must not answer because its link to the master is down. */
  get isStale(): boolean {
    const { isReplica, link } = this.replication;
    return isReplica && link !== "connected" && !this.config.enabled("replica-serve-stale-data");
  }

  #hexadecimal(): string {
    return Buffer.from(this.random.bytes(20)).toString("hex");
  }
}

/** Makes a server. */
export function createServer(options: ServerOptions): RedisServer {
  return new RedisServer(options);
}
