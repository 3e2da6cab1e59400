import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "../../../harness/core/lock-driver.ts";
import { type Reply, type SessionFacts, ZooKeeperConnection } from "./connection.ts";
import { closeSession, type Request } from "./requests.ts";

/**
 * Fractions of the session's time-out: a heartbeat is due every sixth of it. A connection on which nothing is answered
 * for a third of it is given up, which leaves time for another one.
 */
const HEARTBEAT_PART = 1 / 6;
const SILENCE_PART = 1 / 3;
/** The part of the time-out that is left when the session is taken for lost: its holders need time to stop. */
const NOTICE_PART = 1 / 10;
/** Between two attempts to connect. */
const RECONNECT_MS = 20;
/** How long connecting may take. A server that is just starting can accept a connection and never answer on it. */
const HANDSHAKE_MS = 1_000;
/** How long closing waits for the server's answer. */
const GOODBYE_MS = 500;

const NO_SESSION = { id: 0n, password: new Uint8Array(16) } as const;

/**
 * A session with a ZooKeeper server, which is the lease: the server keeps the session, and the ephemeral znodes in it,
 * until it has not heard from the client for the time-out (ZooKeeper Programmer's Guide, "ZooKeeper Sessions"). A
 * session outlives its connections: a lost one is replaced. It ends once: when the server says that it is over, or by
 * the client's own clock, shortly before the server could end it, because nobody tells a client that is cut off.
 */
export class Session implements AsyncDisposable {
  readonly #address: Address;
  readonly #onEnd: (session: Session) => void;
  #facts: SessionFacts;
  #connection: ZooKeeperConnection;
  #lastZxid = 0n;
  /**
   * When the last answered request was sent, on the monotonic clock. The server counts its time-out from then or later.
   */
  #heardAtMs = -Infinity;
  #ended = false;
  readonly #heartbeat: NodeJS.Timeout;
  #deadline: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<() => void>();

  /**
   * Begins to connect, and continues until there is a session.
   * @param timeoutMs the time-out to ask for; the server may grant another one
   * @param onEnd called once, when the session is lost; not when it is disposed
   */
  constructor(address: Address, timeoutMs: number, onEnd: (session: Session) => void) {
    this.#address = address;
    this.#onEnd = onEnd;
    this.#facts = { ...NO_SESSION, timeoutMs };
    this.#connection = this.#connect();
    // Checked after the arrived bytes were read: a client that did not run for a while may already have its answers.
    const beat = (): unknown => setImmediate(() => this.#beat());
    this.#heartbeat = setInterval(beat, Math.max(1, timeoutMs * HEARTBEAT_PART));
  }

  /**
   * How long from now the server certainly keeps the session, in milliseconds; negative when that is no longer certain.
   */
  get remainingMs(): number {
    return this.#ended ? -Infinity : this.#heardAtMs + this.#facts.timeoutMs - performance.now();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves with true when requests can be sent, with false when the session has ended or the signal aborts. */
  async connected(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (this.#ended || signal?.aborted === true) return false;
      if (this.#connection.established) return true;
      await this.#change(signal);
    }
  }

  /** Sends a request, if there is a connection. Never rejects. */
  request<T>(request: Request<T>): Promise<Reply<T>> {
    return this.#connection.request(request);
  }

  /**
   * Calls `watcher` once: when a watch on that znode fires, or when the connection ends, and with it its watches. The
   * returned function cancels it. Call this before the request that sets the watch.
   */
  onEvent(path: string, watcher: () => void): () => void {
    return this.#connection.onEvent(path, watcher);
  }

  /** Tells the server, if it can be reached, that the session is over, and waits briefly for its answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    const goodbye = this.#ended ? undefined : this.request(closeSession);
    this.#ended = true;
    await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { ref: false })]);
    this.#stop();
  }

  #connect(): ZooKeeperConnection {
    const { id, timeoutMs } = this.#facts;
    const connection = new ZooKeeperConnection(this.#address, this.#facts, this.#lastZxid, {
      onSession: (facts) => {
        clearTimeout(giveUp);
        this.#established(facts);
      },
      onAnswer: (sentAtMs) => {
        this.#heardAtMs = Math.max(this.#heardAtMs, sentAtMs);
      },
      onClose: () => {
        clearTimeout(giveUp);
        this.#lastZxid = connection.lastZxid;
        this.#notify();
        if (!this.#ended) this.#reconnect = setTimeout(() => void this.#connect(), RECONNECT_MS);
      },
    });
    // Until there is a session, waiting risks nothing.
    const answerWithinMs = Math.min(timeoutMs * (id === NO_SESSION.id ? 1 : SILENCE_PART), HANDSHAKE_MS);
    const giveUp = setTimeout(() => connection.close(), answerWithinMs);
    this.#connection = connection;
    return connection;
  }

  #established(facts: SessionFacts): void {
    if (facts.timeoutMs <= 0) return this.#end();
    this.#facts = facts;
    this.#watchDeadline();
    this.#notify();
  }

  /** Ends the session when nothing has been answered for too long. Each answer extends the deadline. */
  #watchDeadline(): void {
    clearTimeout(this.#deadline);
    const leftMs = this.remainingMs - this.#facts.timeoutMs * NOTICE_PART;
    if (leftMs <= 0) this.#end();
    else this.#deadline = setTimeout(() => this.#watchDeadline(), Math.ceil(leftMs));
  }

  #beat(): void {
    if (this.#connection.silentForMs > this.#facts.timeoutMs * SILENCE_PART) this.#connection.close();
    else this.#connection.ping();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stop();
    this.#onEnd(this);
  }

  #stop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#deadline);
    clearTimeout(this.#reconnect);
    this.#connection.close();
    this.#notify();
  }

  /** Resolves at the next change of state, or when the signal aborts. */
  async #change(signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal?.addEventListener("abort", wake);
    await promise;
    this.#waiting.delete(wake);
    signal?.removeEventListener("abort", wake);
  }

  #notify(): void {
    for (const wake of this.#waiting) wake();
  }
}
