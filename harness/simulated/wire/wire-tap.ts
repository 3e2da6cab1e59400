import type { MessageSource } from "../../core/system.ts";
import { MESSAGE_MOMENTS, type MessageTrigger, type MessageMoment } from "../../core/trigger.ts";
import { MessageCounter } from "../../core/messages/wire-message.ts";
import type { Host } from "../kernel/host.ts";
import type { Network, Opened } from "../network/network.ts";
import type { Exchange } from "./exchange.ts";
import { TappedConnection } from "./tapped-connection.ts";

export interface WireOptions {
  readonly network: Network;
  /** The host of the code that drives the run. */
  readonly runner: Host;
  /** The true clock of the run. */
  readonly now: () => number;
  readonly clients: readonly WireClient[];
  readonly servers: readonly Host[];
  /** Whether to keep the commands. */
  readonly keeps: boolean;
  /** Whether to keep the beginning of each reply, too. Default: false. */
  readonly keepsReplies?: boolean;
  /** Given each command when it leaves its client, and when its reply has come. */
  readonly told?: ((moment: "sent" | "reply", exchange: Exchange) => void) | undefined;
  /** Has what waited go on. Default: it does so at once. */
  readonly resume?: (goOn: () => void) => void;
}

/** What a connection sees of a command. */
export type SentMessage = Pick<Exchange, "command" | "script" | "keys" | "words" | "connection" | "server">;

interface WireClient {
  readonly host: Host;
  /** Index of the invocation that is under way; undefined: none, or nobody knows which. */
  readonly operation: number | undefined;
}

/**
 * The commands between clients and servers of a simulation. It only looks at the network's bytes, except that a command
 * waits at the moment at which a trigger comes. What is sent on connections of a client to a data node or a Sentinel
 * counts, from the start of the run.
 */
export class WireTap implements MessageSource {
  readonly moments = MESSAGE_MOMENTS;
  /** The commands since the start of the run, in the order of sending, if they are kept. */
  readonly exchanges: Exchange[] = [];
  /** For connections: whether they read the replies. */
  readonly keepsReplies: boolean;
  readonly #options: WireOptions;
  #counts = false;
  #watch:
    | {
        readonly counter: MessageCounter;
        readonly triggers: readonly MessageTrigger[];
        readonly reached: (index: number) => Promise<void>;
      }
    | undefined;

  /** Follows every connection that is opened from now on. */
  constructor(options: WireOptions) {
    this.#options = options;
    this.keepsReplies = options.keepsReplies === true;
    options.network.tap = (opened) => this.#tapOf(opened);
  }

  /** The run begins: what is sent from now on counts. */
  begin(): void {
    this.#counts = true;
  }

  watch(triggers: readonly MessageTrigger[], reached: (index: number) => Promise<void>): Promise<void> {
    this.#watch = { counter: new MessageCounter(triggers), triggers, reached };
    return Promise.resolve();
  }

  /** For connections: a client is about to send a command. */
  sends(message: SentMessage, client: WireClient): Exchange {
    return {
      client: this.#options.clients.indexOf(client),
      ...message,
      operation: client.operation,
      counts: this.#counts,
      sentNs: this.#options.now(),
    };
  }

  /** For connections: a command leaves its client now. */
  sent(exchange: Exchange): void {
    exchange.sentNs = this.now();
    if (exchange.counts && this.#options.keeps) this.exchanges.push(exchange);
    this.#options.told?.("sent", exchange);
  }

  /** For connections: the time. */
  now(): number {
    return this.#options.now();
  }

  /**
   * For connections: commands are at a moment. True if they wait; `goOn` is then called in the step of another host.
   * It is not called if the run ends first.
   */
  at(moment: MessageMoment, exchanges: readonly Exchange[], goOn: () => void): boolean {
    const { told } = this.#options;
    if (moment === "reply" && told !== undefined) for (const exchange of exchanges) told("reply", exchange);
    if (this.#watch === undefined) return false;
    const { counter, triggers, reached } = this.#watch;
    const due = exchanges.filter(({ counts }) => counts).flatMap((each) => counter.count({ moment, ...each }));
    if (due.length === 0) return false;
    const waits = due.some((index) => (triggers[index]?.afterMs ?? 0) === 0);
    this.#options.runner.post(`${moment} of a watched message`, () => {
      const done = Promise.all(due.map((index) => reached(index)));
      const { resume = (act) => act() } = this.#options;
      if (waits) void done.then(() => resume(goOn));
    });
    return waits;
  }

  #tapOf({ client: from, server: to, name }: Opened): TappedConnection | undefined {
    const { clients, servers } = this.#options;
    const client = clients.find(({ host }) => host === from);
    return client === undefined || !servers.includes(to) ? undefined : new TappedConnection(this, client, to, name);
  }
}
