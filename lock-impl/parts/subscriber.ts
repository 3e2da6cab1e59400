import { Cluster, Redis } from "ioredis";
import { clusterOptions, connectionOptions, type Timeouts, type Target } from "./connection-options.ts";

/**
 * Listens on channels. Each listener has a counter that moves whenever something may have happened: a message came, the
 * subscription was confirmed (earlier messages are unknown), or the connection broke (messages may be missing).
 * Listeners of one channel share one subscription, which ends with the last of them.
 */
export class Subscriber implements AsyncDisposable {
  readonly #redis: Redis | Cluster;
  readonly #timeouts: Timeouts;
  readonly #channels = new Map<string, Set<Listening>>();
  #disposed = false;
  #revival: NodeJS.Timeout | undefined;

  constructor(target: Target, timeouts: Timeouts) {
    this.#timeouts = timeouts;
    this.#redis =
      target.kind === "cluster"
        ? new Cluster([...target.nodes], clusterOptions(timeouts))
        : new Redis(connectionOptions(target, timeouts));
    this.#redis.on("error", () => {});
    this.#redis.on("message", (channel: string, message: string) => this.#stir(channel, message));
    this.#redis.on("ready", () => {
      for (const channel of this.#channels.keys()) this.#subscribe(channel);
    });
    this.#redis.on("close", () => {
      for (const channel of this.#channels.keys()) this.#stir(channel);
    });
    this.#redis.on("end", () => this.#revive());
    this.#redis.connect().catch(() => {});
  }

  /** Listens on a channel until disposed. `counts` says which messages matter; without it all do. */
  listen(channel: string, counts: (message: string) => boolean = () => true): Listening {
    const listening = new Listening(counts, () => this.#leave(channel, listening));
    const others = this.#channels.get(channel);
    if (others === undefined) {
      this.#channels.set(channel, new Set([listening]));
      this.#subscribe(channel);
    } else {
      others.add(listening);
      // The subscription may exist already, or be pending: its confirmation is requested once more.
      this.#subscribe(channel);
    }
    return listening;
  }

  /** The number of channels with a listener. */
  get size(): number {
    return this.#channels.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    clearTimeout(this.#revival);
    this.#redis.disconnect();
  }

  #subscribe(channel: string): void {
    if (this.#redis.status !== "ready") return;
    this.#redis.subscribe(channel).then(
      () => this.#stir(channel),
      // The channel is subscribed when the connection is made again; until then its listeners poll.
      () => {},
    );
  }

  #leave(channel: string, listening: Listening): void {
    const listeners = this.#channels.get(channel);
    if (listeners === undefined || !listeners.delete(listening) || listeners.size > 0) return;
    this.#channels.delete(channel);
    if (this.#redis.status === "ready") this.#redis.unsubscribe(channel).catch(() => {});
  }

  #stir(channel: string, message?: string): void {
    for (const listening of this.#channels.get(channel) ?? []) listening.stir(message);
  }

  #revive(): void {
    if (this.#disposed) return;
    this.#revival = setTimeout(() => {
      this.#redis.connect().catch(() => {});
    }, this.#timeouts.reconnectMs);
  }
}

/** One listener of a channel. */
export class Listening implements Disposable {
  readonly #counts: (message: string) => boolean;
  readonly #leave: () => void;
  #count = 0;
  #wake: (() => void) | undefined;

  constructor(counts: (message: string) => boolean, leave: () => void) {
    this.#counts = counts;
    this.#leave = leave;
  }

  /** Moves whenever something may have happened. */
  get count(): number {
    return this.#count;
  }

  /** Resolves when the counter is no longer at `seen`, after `withinMs`, or when the signal aborts. */
  async movedFrom(seen: number, withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.#count !== seen || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake);
    const timer = setTimeout(wake, withinMs);
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", wake);
    this.#wake = undefined;
  }

  /** Something happened; `message` is absent when it was not a message. */
  stir(message?: string): void {
    if (message !== undefined && !this.#counts(message)) return;
    this.#count += 1;
    this.#wake?.();
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}
