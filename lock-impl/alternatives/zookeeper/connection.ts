import { connect, type Socket } from "node:net";
import type { Address } from "../../../harness/core/lock-driver.ts";
import { JuteReader, JuteWriter, PacketSplitter } from "./jute.ts";
import { NOTIFICATION_XID, PING, PING_XID, type Request, SESSION_EXPIRED, SESSION_MOVED } from "./requests.ts";

/** The outcome of a request. */
export type Reply<T> =
  | { readonly type: "done"; readonly value: T }
  /** The server answered with an error: it did nothing. */
  | { readonly type: "refused"; readonly code: number }
  /** It has not left this process. */
  | { readonly type: "unsent" }
  /** The connection was lost before the reply: nobody knows what the server did. */
  | { readonly type: "unknown" };

/** What a client says about its session when it connects. An `id` of 0 asks for a new one. */
export interface SessionFacts {
  readonly id: bigint;
  readonly password: Uint8Array;
  readonly timeoutMs: number;
}

export interface ConnectionListener {
  /** The server's answer to the handshake. A time-out of 0 means that the session is over. */
  onSession(session: SessionFacts): void;
  /** The server answered what the client sent at `sentAtMs` on the monotonic clock; it has heard from us since then. */
  onAnswer(sentAtMs: number): void;
  onClose(): void;
}

interface Pending {
  readonly xid: number;
  readonly sentAtMs: number;
  settle(code: number, reader: JuteReader): void;
  abandon(): void;
}

/**
 * One TCP connection to a ZooKeeper server: the handshake, requests and their replies in order, heartbeats, watches. It
 * ends once and does not come back. Each request is sent once; nothing waits in a queue.
 *
 * We do not use the npm package `node-zookeeper-client` (1.1.3), because it queues requests that find no connection and
 * sends them later, after the caller has given up; it does not notice a server that falls silent; and it does not say
 * which heartbeat was answered, from which a lease counts.
 */
export class ZooKeeperConnection {
  readonly #socket: Socket;
  readonly #listener: ConnectionListener;
  readonly #packets = new PacketSplitter();
  readonly #pending: Pending[] = [];
  readonly #watchers = new Map<string, Set<() => void>>();
  #handshakeSentAtMs = -Infinity;
  #established = false;
  #pingSentAtMs: number | undefined;
  #xid = 0;
  #closed = false;
  /** The newest transaction that this client has seen. */
  lastZxid: bigint;

  constructor(address: Address, session: SessionFacts, lastZxid: bigint, listener: ConnectionListener) {
    this.#listener = listener;
    this.lastZxid = lastZxid;
    this.#socket = connect({ ...address, noDelay: true });
    this.#socket.on("connect", () => this.#shakeHands(session));
    this.#socket.on("data", (chunk) => this.#take(chunk));
    // The error reaches the callers through the requests that it fails.
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => this.close());
  }

  /** Whether requests can be sent. */
  get established(): boolean {
    return this.#established && !this.#closed && this.#socket.writable;
  }

  /** How long the answer to a request or a heartbeat has been due, in milliseconds; 0 when none is due. */
  get silentForMs(): number {
    const oldest = Math.min(this.#pending[0]?.sentAtMs ?? Infinity, this.#pingSentAtMs ?? Infinity);
    return oldest === Infinity ? 0 : performance.now() - oldest;
  }

  /** Sends a request. Never rejects. */
  request<T>(request: Request<T>): Promise<Reply<T>> {
    if (!this.established) return Promise.resolve({ type: "unsent" });
    const { promise, resolve } = Promise.withResolvers<Reply<T>>();
    this.#xid += 1;
    this.#pending.push({
      xid: this.#xid,
      sentAtMs: performance.now(),
      settle: (code, reader) =>
        resolve(code === 0 ? { type: "done", value: request.read(reader) } : { type: "refused", code }),
      abandon: () => resolve({ type: "unknown" }),
    });
    const writer = new JuteWriter().int32(this.#xid).int32(request.operation);
    request.write(writer);
    this.#socket.write(writer.packet());
    return promise;
  }

  /** Sends a heartbeat, unless one is unanswered. */
  ping(): void {
    if (!this.established || this.#pingSentAtMs !== undefined) return;
    this.#pingSentAtMs = performance.now();
    this.#socket.write(new JuteWriter().int32(PING_XID).int32(PING).packet());
  }

  /**
   * Calls `watcher` once: at the next event of that znode, or when the connection ends. The returned function cancels
   * it.
   */
  onEvent(path: string, watcher: () => void): () => void {
    const watchers = this.#watchers.get(path) ?? new Set();
    this.#watchers.set(path, watchers.add(watcher));
    if (this.#closed) watcher();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(path);
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    for (const pending of this.#pending.splice(0)) pending.abandon();
    for (const path of [...this.#watchers.keys()]) this.#announce(path);
    this.#listener.onClose();
  }

  #shakeHands({ id, password, timeoutMs }: SessionFacts): void {
    this.#handshakeSentAtMs = performance.now();
    const protocolVersion = 0;
    const writer = new JuteWriter().int32(protocolVersion).int64(this.lastZxid).int32(timeoutMs).int64(id);
    this.#socket.write(writer.buffer(password).boolean(false).packet());
  }

  #take(chunk: Buffer): void {
    try {
      for (const record of this.#packets.push(chunk)) {
        if (this.#closed) return;
        const reader = new JuteReader(record);
        if (this.#established) this.#takeReply(reader);
        else this.#takeHandshake(reader);
      }
    } catch {
      // A ZooKeeper server does not send this: nothing after it can be understood.
      this.close();
    }
  }

  #takeHandshake(reader: JuteReader): void {
    reader.int32();
    const timeoutMs = reader.int32();
    const id = reader.int64();
    this.#established = timeoutMs > 0;
    if (this.#established) this.#listener.onAnswer(this.#handshakeSentAtMs);
    this.#listener.onSession({ timeoutMs, id, password: Uint8Array.from(reader.buffer()) });
  }

  #takeReply(reader: JuteReader): void {
    const xid = reader.int32();
    const zxid = reader.int64();
    const code = reader.int32();
    if (zxid > this.lastZxid) this.lastZxid = zxid;
    if (xid === NOTIFICATION_XID) {
      // The kind of event and the state of the session: the waiter looks for itself.
      reader.int32();
      reader.int32();
      this.#announce(reader.string());
    } else if (xid === PING_XID) {
      const sentAtMs = this.#pingSentAtMs;
      this.#pingSentAtMs = undefined;
      if (sentAtMs !== undefined) this.#listener.onAnswer(sentAtMs);
    } else {
      const [pending] = this.#pending;
      if (pending?.xid !== xid) throw new RangeError("a reply to another request");
      // The next connection tells whether the session is over.
      if (code === SESSION_EXPIRED || code === SESSION_MOVED) return this.close();
      pending.settle(code, reader);
      this.#pending.shift();
      this.#listener.onAnswer(pending.sentAtMs);
    }
  }

  #announce(path: string): void {
    const watchers = this.#watchers.get(path);
    this.#watchers.delete(path);
    for (const watcher of watchers ?? []) watcher();
  }
}
