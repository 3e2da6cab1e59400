import type { Caller, Command } from "./command.ts";
import type { Database } from "./keyspace/database.ts";
import { execute } from "./execute.ts";
import type { Subscriber } from "./pubsub.ts";
import { ErrorReply, PushReply, SeveralReplies, type Reply } from "./protocol/reply.ts";
import { encodeReply, fromBytes, toBytes, type Protocol } from "./protocol/resp-encoder.ts";
import { RequestParser } from "./protocol/resp-parser.ts";
import type { RedisServer } from "./server.ts";
import type { Tracking } from "./caching/tracked-keys.ts";
import { WatchedKeys } from "./keyspace/watch.ts";

export interface SessionOptions {
  /** Takes what the server sends. */
  readonly onOutput: (bytes: Uint8Array) => void;
  /** The server closes the connection, after everything it has sent. */
  readonly onClose?: () => void;
  /** Addresses as CLIENT LIST shows them, `10.0.0.1:50123`. */
  readonly peer?: string;
  readonly local?: string;
  /** Follows the requests of this connection. */
  readonly observer?: RequestObserver | undefined;
}

/** Told of each request of a connection. They are executed one after the other. */
export interface RequestObserver {
  /** A request will be executed. A blocked connection has begun one, and not ended it. */
  begins(): void;
  /** It was executed; its reply has not been sent. @param repliedAt bytes of output so far; undefined: it has no reply */
  ends(repliedAt: number | undefined): void;
}

/** Commands queued since MULTI. `failed` means that one was refused, so EXEC will be refused too. */
export interface Transaction {
  readonly queue: { readonly command: Command; readonly argv: readonly string[] }[];
  failed: boolean;
}

/** One connection: parses its requests, runs them in order, and collects its output. */
export class Session implements Caller, Subscriber {
  readonly server: RedisServer;
  readonly id: number;
  readonly peer: string;
  readonly local: string;
  readonly createdAtMs: number;
  readonly inScript = false;
  readonly watched: WatchedKeys;
  readonly channels = new Set<string>();
  readonly patterns = new Set<string>();
  readonly shardChannels = new Set<string>();
  db: Database;
  resp: Protocol = 2;
  name = "";
  libraryName = "";
  libraryVersion = "";
  authenticated: boolean;
  /** A `replica` gets the replication stream; the `master` sends it, and its commands are applied. */
  role: "normal" | "replica" | "master" = "normal";
  transaction: Transaction | undefined;
  /** A watched key was changed: the next EXEC fails. */
  transactionFailed = false;
  replies: "on" | "off" | "skip" | "skip-next" = "on";
  noEvict = false;
  noTouch = false;
  /** Set while keys that it reads are tracked for a cache of its client's. */
  tracking: Tracking | undefined;
  /** True inside EXEC: blocking commands return at once instead. */
  denyBlocking = false;
  lastActiveMs: number;
  lastCommand: Command | undefined;
  /** Replication offset after this connection's last write. */
  writeOffset = 0;
  closing = false;
  closed = false;
  readonly #parser = new RequestParser();
  readonly #options: SessionOptions;
  #output = "";
  /** Bytes of output in all. */
  #produced = 0;
  #replied = false;
  /** Messages to itself that its own command caused: they come after the command's reply. */
  #ownMessages: PushReply[] = [];
  #blocked: Blocked | undefined;

  constructor(server: RedisServer, id: number, options: SessionOptions) {
    this.server = server;
    this.id = id;
    this.#options = options;
    this.peer = options.peer ?? "127.0.0.1:0";
    this.local = options.local ?? `127.0.0.1:${server.config.text("port")}`;
    this.db = server.database(0);
    this.authenticated = server.config.text("requirepass") === "";
    this.createdAtMs = server.nowMs;
    this.lastActiveMs = server.nowMs;
    this.watched = new WatchedKeys(this);
  }

  get session(): Session {
    return this;
  }

  get subscriptions(): number {
    return this.channels.size + this.patterns.size;
  }

  get isSubscriber(): boolean {
    return this.subscriptions + this.shardChannels.size > 0;
  }

  get isBlocked(): boolean {
    return this.#blocked !== undefined;
  }

  /** Takes bytes from the peer and answers them; while the connection is blocked, they wait. */
  receive(bytes: Uint8Array): void {
    if (this.closed) return;
    this.#parser.push(fromBytes(bytes));
    this.server.enter(() => {
      this.lastActiveMs = this.server.nowMs;
      this.#process();
    });
  }

  /** The peer is gone. */
  disconnect(): void {
    if (this.closed) return;
    this.closed = true;
    this.#blocked?.onEnd?.();
    this.#blocked = undefined;
    this.#output = "";
    this.transaction = undefined;
    this.watched.clear();
    this.tracking = undefined;
    this.server.pubsub.drop(this);
    this.server.sessions.delete(this.id);
  }

  /** Closes the connection from this side, at once; unsent output is lost. */
  kill(): void {
    if (this.closed) return;
    this.disconnect();
    this.#options.onClose?.();
  }

  #process(): void {
    while (this.#blocked === undefined && !this.closing && !this.closed) {
      const request = this.#parser.next(this.authenticated);
      if (request === undefined) return;
      if ("protocolError" in request) {
        this.server.hooks.protocolBroken?.(request.protocolError);
        this.closing = true;
        this.reply(new ErrorReply(`ERR Protocol error: ${request.protocolError}`));
      } else if (request.length > 0) {
        this.#options.observer?.begins();
        this.run(request);
        this.#endRequest();
      }
    }
  }

  #endRequest(): void {
    const { observer } = this.#options;
    if (observer === undefined || this.#blocked !== undefined) return;
    observer.ends(this.#replied ? this.#produced : undefined);
    this.#replied = false;
  }

  /** Runs one command and sends its reply. */
  run(argv: readonly string[], perform: (session: Session, argv: readonly string[]) => Reply = execute): void {
    const { server } = this;
    const before = server.current;
    server.current = this;
    server.touches = !this.noTouch;
    try {
      const reply = perform(this, argv);
      if (reply !== undefined) this.reply(reply);
    } finally {
      server.current = before;
      server.touches = true;
    }
    if (this.#ownMessages.length > 0) {
      for (const message of this.#ownMessages.splice(0)) this.pushNow(message);
    }
    this.#endException();
    if (this.replies === "skip") this.replies = "on";
    else if (this.replies === "skip-next") this.replies = "skip";
    server.blocked.serve();
  }

  /** CLIENT CACHING is about the next command that is not CLIENT, or the next transaction. */
  #endException(): void {
    if (this.tracking?.isException !== true || this.transaction !== undefined) return;
    if (this.lastCommand?.name.startsWith("client") !== true) this.tracking.isException = false;
  }

  /** Sends a reply, unless the connection asked for silence; confirmations of subscriptions are sent in any case. */
  reply(reply: Reply): void {
    const isSpoken = this.replies === "on" || this.replies === "skip-next";
    if (isSpoken || reply instanceof PushReply || reply instanceof SeveralReplies) {
      this.#send(encodeReply(reply, this.resp));
      this.#replied = true;
    } else this.server.willSend(this);
  }

  /** Sends an out-of-band message. */
  push(message: PushReply): void {
    if (this.server.current === this && this.server.isModern) this.#ownMessages.push(message);
    else this.pushNow(message);
  }

  /** Sends an out-of-band message, after the reply to its own command. */
  pushAfterReply(message: PushReply): void {
    if (this.server.current === this) this.#ownMessages.push(message);
    else this.pushNow(message);
  }

  /** Sends an out-of-band message, before the reply to its own command. */
  pushNow(message: PushReply): void {
    this.#send(encodeReply(message, this.resp));
  }

  /** Sends bytes that are not a reply, for example the replication stream. */
  sendRaw(text: string): void {
    this.#send(text);
  }

  #send(text: string): void {
    if (this.closed) return;
    this.#output += text;
    this.#produced += text.length;
    this.server.willSend(this);
  }

  /** Returns the collected output. For the server. */
  flush(): void {
    if (this.#output !== "") {
      const text = this.#output;
      this.#output = "";
      this.#options.onOutput(toBytes(text));
    }
    if (this.closing) this.kill();
  }

  /**
   * Blocks the connection: it runs nothing until `unblock`. `onTimeout` returns the reply with which CLIENT UNBLOCK
   * ends the block as if its time were over, and `onEnd` is called when it ends for any reason.
   */
  block(onTimeout: () => Reply, onEnd?: () => void): Blocked {
    this.#blocked = { onTimeout, onEnd };
    return this.#blocked;
  }

  /** Ends a block by running its command again; false when that block has already ended. It may block again. */
  resume(
    blocked: Blocked,
    argv: readonly string[],
    perform: (session: Session, argv: readonly string[]) => Reply,
  ): boolean {
    if (!this.#endBlock(blocked)) return false;
    this.run(argv, perform);
    this.#endRequest();
    this.server.goOnLater(this);
    return true;
  }

  /** Ends a block with its reply. Requests that came meanwhile run when the server has finished the current one. */
  release(blocked: Blocked, reply: Reply): boolean {
    if (!this.#endBlock(blocked)) return false;
    this.server.enter(() => {
      this.reply(reply);
      this.#endRequest();
      this.server.goOnLater(this);
    });
    return true;
  }

  /** Runs the requests that came while the connection was blocked. */
  goOn(): void {
    this.#process();
  }

  #endBlock(blocked: Blocked): boolean {
    if (this.#blocked !== blocked || this.closed) return false;
    this.#blocked = undefined;
    blocked.onEnd?.();
    return true;
  }

  /**
   * Ends a block with its reply, and continues with the requests that came meanwhile. False when that block has already
   * ended.
   */
  unblock(blocked: Blocked, reply: Reply): boolean {
    if (this.#blocked !== blocked || this.closed) return false;
    this.#blocked = undefined;
    this.server.enter(() => {
      this.reply(reply);
      this.#endRequest();
      this.#process();
    });
    return true;
  }

  /** CLIENT UNBLOCK. False when the connection is not blocked. */
  forceUnblock(asError: boolean): boolean {
    const blocked = this.#blocked;
    if (blocked?.onTimeout === undefined) return false;
    const reply = asError ? new ErrorReply("UNBLOCKED client unblocked via CLIENT UNBLOCK") : blocked.onTimeout();
    // A connection that waits for a key continues later, one that waits for replicas at once.
    return blocked.onEnd === undefined ? this.unblock(blocked, reply) : this.release(blocked, reply);
  }

  /** Holds a command until CLIENT PAUSE is over. */
  postpone(argv: readonly string[]): void {
    this.#blocked = { postponed: argv };
  }

  resumeAfterPause(): void {
    const argv = this.#blocked?.postponed;
    if (argv === undefined) return;
    this.#blocked = undefined;
    this.run(argv);
    this.#endRequest();
    this.#process();
  }

  failTransaction(): void {
    this.transactionFailed = true;
  }

  /** Leaves MULTI and forgets the watched keys. */
  discardTransaction(): void {
    this.transaction = undefined;
    this.transactionFailed = false;
    this.watched.clear();
  }
}

/** Why a connection runs nothing: it waits, or a pause holds its command. */
export interface Blocked {
  readonly onTimeout?: () => Reply;
  /** Called when the block ends for any reason, including the end of its connection. */
  readonly onEnd?: (() => void) | undefined;
  readonly postponed?: readonly string[];
}
