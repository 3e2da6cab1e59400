import type { Caller } from "./command.ts";
import { call, execute } from "./execute.ts";
import type { Database } from "./keyspace/database.ts";
import type { StoredValue } from "./keyspace/values.ts";
import { ErrorReply, NULL_ARRAY, type Reply } from "./protocol/reply.ts";
import type { RedisServer } from "./server.ts";
import type { Blocked, Session } from "./session.ts";

/** The types of values that connections can wait for. */
type Awaited = "list" | "zset" | "stream";

/** A connection whose command waits for a value under one of its keys. */
interface Waiter {
  readonly session: Session;
  readonly database: Database;
  readonly keys: readonly string[];
  readonly type: Awaited;
  /** Also served when its key goes, or gets a value of another type: to be told so. */
  readonly alsoWithoutKey: boolean;
  /** The server's wall clock, in milliseconds, after which the reply is null. */
  readonly deadlineMs: number;
  /** The command to run again when this key has a value of the type. */
  readonly again: (key: string) => readonly string[];
  readonly blocked: Blocked;
}

const NO_MASTER_ANY_MORE = new ErrorReply(
  "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
);

const STREAM_IS_GONE = new ErrorReply("UNBLOCKED the stream key no longer exists");

/**
 * The connections that wait in BLPOP and similar commands. They are served after the command that gave a key its value,
 * in the order in which they began to wait for it, by running their command again; a value that one of them moves may
 * serve others.
 */
export class BlockedClients {
  readonly #server: RedisServer;
  readonly #waiting = new Map<Database, Map<string, Set<Waiter>>>();
  readonly #all = new Set<Waiter>();
  #ready: { readonly database: Database; readonly key: string }[] = [];
  #isServing = false;
  /** The connection whose command is being run again: if it waits once more, its time does not start again. */
  #resumed: Waiter | undefined;

  constructor(server: RedisServer) {
    this.#server = server;
  }

  /**
   * Blocks the caller's connection until one of the keys has a value of the type. In a transaction and in a script nothing
   * blocks: there the reply is `atOnce`.
   * @param timeoutMs 0: without limit
   */
  wait(
    caller: Caller,
    request: {
      readonly keys: readonly string[];
      readonly type: Awaited;
      readonly timeoutMs: number;
      readonly alsoWithoutKey?: boolean;
    },
    again: Waiter["again"],
    atOnce: Reply = NULL_ARRAY,
  ): Reply {
    const { session, db } = caller;
    if (session.denyBlocking || caller.inScript) return atOnce;
    const { keys, type, timeoutMs } = request;
    const resumed = this.#resumed?.session === session ? this.#resumed : undefined;
    const deadlineMs = resumed?.deadlineMs ?? (timeoutMs === 0 ? Infinity : this.#server.nowMs + timeoutMs);
    const blocked = session.block(
      () => NULL_ARRAY,
      () => this.#forget(waiter),
    );
    const alsoWithoutKey = request.alsoWithoutKey === true;
    const waiter: Waiter = {
      session,
      database: db,
      keys: [...new Set(keys)],
      type,
      alsoWithoutKey,
      deadlineMs,
      again,
      blocked,
    };
    this.#all.add(waiter);
    const byKey = this.#waiting.get(db) ?? new Map<string, Set<Waiter>>();
    this.#waiting.set(db, byKey);
    for (const key of waiter.keys) byKey.set(key, (byKey.get(key) ?? new Set()).add(waiter));
    return undefined;
  }

  /** A key has got a value, or a stream an entry. */
  signal(database: Database, key: string): void {
    if (this.#all.size === 0 || this.#waiting.get(database)?.has(key) !== true) return;
    if (this.#ready.some((each) => each.database === database && each.key === key)) return;
    this.#ready.push({ database, key });
  }

  /** A stream was removed or replaced. */
  signalRemoved(database: Database, key: string): void {
    if (this.#all.size === 0) return;
    const waiting = this.#waiting.get(database)?.get(key) ?? [];
    if ([...waiting].some(({ alsoWithoutKey }) => alsoWithoutKey)) this.signal(database, key);
  }

  /** Whether this connection's command is being run again after it has waited. */
  isResuming(session: Session): boolean {
    return this.#resumed?.session === session;
  }

  /** The contents of two databases were exchanged. */
  signalAll(database: Database): void {
    for (const key of this.#waiting.get(database)?.keys() ?? [])
      if (database.slots.has(key)) this.signal(database, key);
  }

  /**
   * Serves the connections to which the last command has given a value. Call it when the command's effects are out and
   * its reply is written.
   */
  serve(): void {
    if (this.#isServing || this.#ready.length === 0) return;
    this.#isServing = true;
    try {
      while (this.#ready.length > 0) {
        const ready = this.#ready;
        this.#ready = [];
        for (const { database, key } of ready) this.#serveKey(database, key);
      }
    } finally {
      this.#isServing = false;
    }
  }

  #serveKey(database: Database, key: string): void {
    // Connections that wait again meanwhile are not served a second time by the same event.
    for (const waiter of [...(this.#waiting.get(database)?.get(key) ?? [])]) {
      if (!this.#all.has(waiter)) continue;
      const { session, blocked } = waiter;
      if (database.peek(key)?.type !== waiter.type) {
        if (!waiter.alsoWithoutKey) continue;
        if (!this.#server.isModern) {
          session.release(blocked, STREAM_IS_GONE);
          continue;
        }
      }
      this.#resumed = waiter;
      // 7.0 serves from the key that is ready, and checks nothing; later versions run the command as if it had just come.
      const perform = this.#server.isModern ? execute : callAgain;
      session.resume(blocked, waiter.again(key), perform);
      this.#resumed = undefined;
    }
  }

  /** Answers the connections whose time is over. Call it before the server sleeps, that is, also ten times a second. */
  expire(): void {
    if (this.#all.size === 0) return;
    const { nowMs } = this.#server;
    const over = [...this.#all].filter(({ deadlineMs }) => deadlineMs < nowMs);
    for (const { session, blocked } of over.toSorted((a, b) => a.deadlineMs - b.deadlineMs)) {
      session.release(blocked, NULL_ARRAY);
    }
  }

  /**
   * This server becomes a replica, where no value may be taken: every waiting connection gets an error and is closed.
   */
  refuseAll(): void {
    for (const { session, blocked } of [...this.#all].toSorted((a, b) => a.session.id - b.session.id)) {
      session.release(blocked, NO_MASTER_ANY_MORE);
      session.closing = true;
      this.#server.willSend(session);
    }
  }

  #forget(waiter: Waiter): void {
    this.#all.delete(waiter);
    const byKey = this.#waiting.get(waiter.database);
    for (const key of waiter.keys) {
      const waiting = byKey?.get(key);
      waiting?.delete(waiter);
      if (waiting?.size === 0) byKey?.delete(key);
    }
  }
}

function callAgain(session: Session, argv: readonly string[]): Reply {
  const { lastCommand } = session;
  return lastCommand === undefined ? undefined : call(lastCommand, argv, session);
}

/** Whether connections can wait for this value. */
export function isAwaited(value: StoredValue): boolean {
  return value.type === "list" || value.type === "zset" || value.type === "stream";
}
