import { encodeCommand } from "../redis/protocol/resp-encoder.ts";
import type { SentinelEnvironment, Wire } from "./environment.ts";
import type { NodeAddress } from "./node-address.ts";
import { ReplyParser, type ReceivedReply } from "./reply-parser.ts";

export type OnReply = (reply: ReceivedReply) => void;

/**
 * A connection from a Sentinel to a server, for commands or for a subscription. Commands can be sent at once, before it
 * is open; all commands of one event leave together. Replies come in order; when the connection ends, those due never
 * come.
 */
export class OutgoingConnection {
  readonly #environment: SentinelEnvironment;
  readonly #wire: Wire;
  readonly #parser = new ReplyParser();
  readonly #due: OnReply[] = [];
  readonly #onGone: () => void;
  #onMessage: OnReply | undefined;
  #output = "";
  #state: "opening" | "open" | "over" = "opening";

  /**
   * @param onGone the peer refused, closed or reset it, or sent something that is not a reply; not called after `close`
   */
  constructor(environment: SentinelEnvironment, address: NodeAddress, onGone: () => void) {
    this.#environment = environment;
    this.#onGone = onGone;
    this.#wire = environment.dial(address, {
      onOpen: () => {
        this.#state = "open";
        this.flush();
      },
      onText: (text) => this.#receive(text),
      onGone: () => {
        this.#state = "over";
        onGone();
      },
    });
  }

  send(argv: readonly string[], onReply: OnReply): void {
    this.#due.push(onReply);
    this.#write(argv);
  }

  /** From then on arrays are messages, or confirmations of the subscription. */
  subscribe(channel: string, onMessage: OnReply): void {
    this.#onMessage = onMessage;
    this.#write(["SUBSCRIBE", channel]);
  }

  /** Sends what was written. */
  flush(): void {
    if (this.#state !== "open" || this.#output === "") return;
    this.#wire.write(this.#output);
    this.#output = "";
  }

  close(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#wire.close();
  }

  #write(argv: readonly string[]): void {
    if (this.#state === "over") return;
    this.#output += encodeCommand(argv);
    this.#environment.wrote(this);
  }

  #receive(text: string): void {
    this.#parser.push(text);
    // The handling of a reply may close this very connection: then the rest is ignored.
    while (this.#state === "open") {
      const reply = this.#next();
      if (reply === undefined) return;
      if (this.#onMessage !== undefined && reply.type === "array") this.#onMessage(reply);
      else this.#due.shift()?.(reply);
    }
  }

  #next(): ReceivedReply | undefined {
    try {
      return this.#parser.next();
    } catch {
      this.close();
      this.#onGone();
      return undefined;
    }
  }
}
