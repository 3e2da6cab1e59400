import type { Caller, Command } from "./command.ts";
import type { Database } from "./database.ts";
import { execute } from "./execute.ts";
import type { Subscriber } from "./pubsub.ts";
import { ErrorReply, type PushReply, type Reply } from "./reply.ts";
import { encodeReply, fromBytes, toBytes, type Protocol } from "./resp-encoder.ts";
import { RequestParser } from "./resp-parser.ts";
import type { RedisServer } from "./server.ts";
import { WatchedKeys } from "./watch.ts";

export interface SessionOptions {
  /** Takes what the server sends. */
  readonly onOutput: (bytes: Uint8Array) => void;
  /** The server closes the connection, after everything it has sent. */
  readonly onClose?: () => void;
  /** Addresses as CLIENT LIST shows them, `10.0.0.1:50123`. */
  readonly peer?: string;
  readonly local?: string;
}

/** Commands queued since MULTI. `failed` says that one was refused, so that EXEC will be too. */
export interface Transaction {
  readonly queue: { readonly command: Command; readonly argv: readonly string[] }[];
  failed: boolean;
}

/** One connection: parses its requests, runs them in order, and gathers what is sent back. */
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
  /** A `replica` gets the replication stream; the `master` sends it, and is obeyed. */
  role: "normal" | "replica" | "master" = "normal";
  transaction: Transaction | undefined;
  /** A watched key was changed: the next EXEC fails. */
  transactionFailed = false;
  replies: "on" | "off" | "skip" | "skip-next" = "on";
  noEvict = false;
  noTouch = false;
  /** True inside EXEC: what would block returns at once instead. */
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

  /** Takes bytes from the peer and answers them, unless the connection is blocked: then they wait. */
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
    this.#blocked = undefined;
    this.#output = "";
    this.transaction = undefined;
    this.watched.clear();
    this.server.pubsub.drop(this);
    this.server.sessions.delete(this.id);
  }

  /** Closes the connection from this side, at once; what was not sent yet is lost. */
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
        this.closing = true;
        this.reply(new ErrorReply(`ERR Protocol error: ${request.protocolError}`));
      } else if (request.length > 0) this.run(request);
    }
  }

  /** Runs one command and sends its reply. */
  run(argv: readonly string[]): void {
    const { server } = this;
    const before = server.current;
    server.current = this;
    server.touches = !this.noTouch;
    try {
      const reply = execute(this, argv);
      if (reply !== undefined) this.reply(reply);
    } finally {
      server.current = before;
      server.touches = true;
    }
    for (const message of this.#ownMessages.splice(0)) this.#send(encodeReply(message, this.resp));
    if (this.replies === "skip") this.replies = "on";
    else if (this.replies === "skip-next") this.replies = "skip";
  }

  /** Sends a reply, unless the connection asked for silence. */
  reply(reply: Reply): void {
    if (this.replies === "on" || this.replies === "skip-next") this.#send(encodeReply(reply, this.resp));
    else this.server.willSend(this);
  }

  /** Sends an out-of-band message. */
  push(message: PushReply): void {
    if (this.server.current === this && this.server.isModern) this.#ownMessages.push(message);
    else this.#send(encodeReply(message, this.resp));
  }

  /** Sends bytes that are no reply, the replication stream for example. */
  sendRaw(text: string): void {
    this.#send(text);
  }

  #send(text: string): void {
    if (this.closed) return;
    this.#output += text;
    this.server.willSend(this);
  }

  /** Hands the gathered output over. For the server. */
  flush(): void {
    if (this.#output !== "") {
      const text = this.#output;
      this.#output = "";
      this.#options.onOutput(toBytes(text));
    }
    if (this.closing) this.kill();
  }

  /**
   * Blocks the connection: it runs nothing until `unblock`. `onTimeout` gives the reply with which CLIENT UNBLOCK ends
   * it as if its time were over.
   */
  block(onTimeout: () => Reply): Blocked {
    this.#blocked = { onTimeout };
    return this.#blocked;
  }

  /** Ends a block with its reply, and goes on with what came meanwhile. False when that block is no longer there. */
  unblock(blocked: Blocked, reply: Reply): boolean {
    if (this.#blocked !== blocked || this.closed) return false;
    this.#blocked = undefined;
    this.server.enter(() => {
      this.reply(reply);
      this.#process();
    });
    return true;
  }

  /** CLIENT UNBLOCK. False when the connection is not blocked. */
  forceUnblock(asError: boolean): boolean {
    const blocked = this.#blocked;
    if (blocked?.onTimeout === undefined) return false;
    const reply = asError ? new ErrorReply("UNBLOCKED client unblocked via CLIENT UNBLOCK") : blocked.onTimeout();
    return this.unblock(blocked, reply);
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

/** Why a connection runs nothing: it waits, or its command is held by a pause. */
export interface Blocked {
  readonly onTimeout?: () => Reply;
  readonly postponed?: readonly string[];
}
