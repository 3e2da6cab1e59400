import { Cluster, Redis } from "ioredis";
import { clusterOptions, connectionOptions, type Timeouts, type Target } from "./connection-options.ts";

/** What is known of one channel on the current connection. */
interface Channel {
  readonly listeners: Set<Listening>;
  subscription: "none" | "requested" | "confirmed";
  /** Ends the subscription of a channel without listeners. */
  ending: NodeJS.Timeout | undefined;
}

/**
 * Listens on channels. Each listener has a counter that moves whenever something may have happened: a message came, the
 * subscription was confirmed (earlier messages are unknown), or the connection broke (messages may be missing).
 * Listeners of one channel share one subscription, which ends `lingerMs` after the last of them: a client that waits
 * again by then needs no other.
 */
export class Subscriber implements AsyncDisposable {
  readonly #redis: Redis | Cluster;
  readonly #timeouts: Timeouts;
  readonly #lingerMs: number;
  readonly #channels = new Map<string, Channel>();
  #disposed = false;
  #revival: NodeJS.Timeout | undefined;

  constructor(target: Target, timeouts: Timeouts, { lingerMs = 0 }: { readonly lingerMs?: number } = {}) {
    this.#timeouts = timeouts;
    this.#lingerMs = lingerMs;
    this.#redis =
      target.kind === "cluster"
        ? new Cluster([...target.nodes], clusterOptions(timeouts))
        : new Redis(connectionOptions(target, timeouts));
    this.#redis.on("error", () => {});
    this.#redis.on("message", (channel: string, message: string) => this.#stir(channel, message));
    this.#redis.on("ready", () => {
      for (const [name, channel] of this.#channels) this.#subscribe(name, channel);
    });
    this.#redis.on("close", () => this.#disconnected());
    this.#redis.on("end", () => this.#revive());
    this.#redis.connect().catch(() => {});
  }

  /** Whether messages of the channel arrive now, as far as this client can know. */
  hears(channel: string): boolean {
    return this.#channels.get(channel)?.subscription === "confirmed";
  }

  /** Listens on a channel until disposed. `counts` says which messages matter; without it all do. */
  listen(name: string, counts: (message: string) => boolean = () => true): Listening {
    const channel = this.#channels.get(name) ?? { listeners: new Set(), subscription: "none", ending: undefined };
    this.#channels.set(name, channel);
    const listening = new Listening(counts, () => this.#leave(name, channel, listening));
    clearTimeout(channel.ending);
    channel.listeners.add(listening);
    if (channel.subscription === "none") this.#subscribe(name, channel);
    return listening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    clearTimeout(this.#revival);
    for (const { ending } of this.#channels.values()) clearTimeout(ending);
    this.#redis.disconnect();
  }

  #subscribe(name: string, channel: Channel): void {
    if (this.#redis.status !== "ready") return;
    channel.subscription = "requested";
    const ended = (subscription: "none" | "confirmed"): void => {
      if (channel.subscription === "requested") channel.subscription = subscription;
    };
    this.#redis.subscribe(name).then(
      () => {
        ended("confirmed");
        this.#stir(name);
      },
      // The channel is subscribed when the connection is made again; until then its listeners poll.
      () => ended("none"),
    );
  }

  #leave(name: string, channel: Channel, listening: Listening): void {
    if (!channel.listeners.delete(listening) || channel.listeners.size > 0) return;
    if (this.#lingerMs > 0) channel.ending = setTimeout(() => this.#unsubscribe(name), this.#lingerMs);
    else this.#unsubscribe(name);
  }

  #unsubscribe(name: string): void {
    this.#channels.delete(name);
    if (this.#redis.status === "ready") this.#redis.unsubscribe(name).catch(() => {});
  }

  #disconnected(): void {
    for (const [name, channel] of this.#channels) {
      channel.subscription = "none";
      clearTimeout(channel.ending);
      if (channel.listeners.size === 0) this.#channels.delete(name);
      else this.#stir(name);
    }
  }

  #stir(name: string, message?: string): void {
    for (const listening of this.#channels.get(name)?.listeners ?? []) listening.stir(message);
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
