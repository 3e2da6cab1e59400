import type { Tracking } from "../redis/caching/tracked-keys.ts";
import type { PubSub, Subscriber } from "../redis/pubsub.ts";
import type { RequestObserver } from "../redis/session.ts";
import { ErrorReply, type PushReply, type Reply } from "../redis/protocol/reply.ts";
import { encodeReply, type Protocol } from "../redis/protocol/resp-encoder.ts";
import { RequestParser } from "../redis/protocol/resp-parser.ts";

export interface ClientSessionOptions {
  readonly pubsub: PubSub;
  /** Addresses as CLIENT LIST shows them, `10.0.0.1:50123`. */
  readonly peer: string;
  readonly local: string;
  readonly connectedAtMs: number;
  readonly write: (text: string) => void;
  readonly close: () => void;
  /** Follows the requests of this connection. */
  readonly observer?: RequestObserver | undefined;
  readonly run: (argv: readonly string[], session: ClientSession) => Reply;
}

/** A connection from a client, or from another Sentinel. All answers to one event leave together, at `flush`. */
export class ClientSession implements Subscriber {
  readonly id: number;
  readonly pubsub: PubSub;
  readonly peer: string;
  readonly local: string;
  readonly connectedAtMs: number;
  readonly channels = new Set<string>();
  readonly patterns = new Set<string>();
  readonly shardChannels = new Set<string>();
  protocol: Protocol = 2;
  name = "";
  libraryName = "";
  libraryVersion = "";
  tracking: Tracking | undefined;
  lastCommand = "NULL";
  replies: "on" | "off" | "skip" | "skip-next" = "on";
  readonly #options: ClientSessionOptions;
  readonly #parser = new RequestParser();
  #output = "";
  /** Bytes of output in all. */
  #produced = 0;
  #isClosing = false;
  /** Messages that the current command has caused; undefined while no command runs. */
  #held: PushReply[] | undefined;

  constructor(id: number, options: ClientSessionOptions) {
    this.id = id;
    this.pubsub = options.pubsub;
    this.peer = options.peer;
    this.local = options.local;
    this.connectedAtMs = options.connectedAtMs;
    this.#options = options;
  }

  get subscriptions(): number {
    return this.channels.size + this.patterns.size;
  }

  receive(text: string): void {
    this.#parser.push(text);
    while (!this.#isClosing) {
      const request = this.#parser.next(true);
      if (request === undefined) return;
      if ("protocolError" in request) {
        this.#write(new ErrorReply(`ERR Protocol error: ${request.protocolError}`));
        this.#isClosing = true;
      } else if (request.length > 0) this.#run(request);
    }
  }

  /** Sends a message. A message that the connection's own command caused comes after that command's reply. */
  push(message: PushReply): void {
    if (this.#held === undefined) this.#write(message);
    else this.#held.push(message);
  }

  flush(): void {
    if (this.#output !== "") this.#options.write(this.#output);
    this.#output = "";
    if (this.#isClosing) this.#options.close();
  }

  /** The connection is gone. */
  leave(): void {
    this.#isClosing = false;
    this.#output = "";
    this.pubsub.drop(this);
  }

  #run(argv: readonly string[]): void {
    const { observer } = this.#options;
    observer?.begins();
    const before = this.#produced;
    this.#held = [];
    const reply = this.#options.run(argv, this);
    const held = this.#held;
    this.#held = undefined;
    if (this.replies === "on") this.#write(reply);
    else if (this.replies === "skip") this.replies = "on";
    else if (this.replies === "skip-next") this.replies = "skip";
    observer?.ends(this.#produced > before ? this.#produced : undefined);
    for (const message of held) this.#write(message);
  }

  #write(reply: Reply): void {
    const text = encodeReply(reply, this.protocol);
    this.#output += text;
    this.#produced += text.length;
  }
}
