import { keysOf } from "../../core/messages/command-keys.ts";
import type { Host } from "../kernel/host.ts";
import type { ConnectionTap, TappedMessage } from "../network/connection-tap.ts";
import { buildCommands } from "../redis/command-table.ts";
import { NO_KEYS, type Command } from "../redis/command.ts";
import { fromBytes } from "../redis/protocol/resp-encoder.ts";
import { RequestParser } from "../redis/protocol/resp-parser.ts";
import type { Exchange } from "./exchange.ts";
import { replyWords, shortText } from "../../core/messages/reply-words.ts";
import { sha1 } from "../redis/scripting/sha1.ts";
import type { SentMessage, WireTap } from "./wire-tap.ts";

const NO_MORE: readonly Command[] = [];

/** Who is told of the commands, and may make them wait. */
type Follower = Pick<WireTap, "sends" | "sent" | "at" | "now"> & Partial<Pick<WireTap, "keepsReplies">>;
/** An exchange whose reply ends at this place in the server's output. */
interface Answered {
  readonly exchange: Exchange;
  readonly endsAt: number;
}

type Sender = Parameters<WireTap["sends"]>[1];

/**
 * Follows the commands of one connection by their order: the server reads them in the order in which they were sent,
 * executes one after the other, and writes their replies in that order. Where a reply ends, the server says. So neither
 * messages of channels nor pushes nor blocked commands can be taken for a reply.
 */
export class TappedConnection implements ConnectionTap {
  readonly #wire: Follower;
  readonly #client: Sender;
  readonly #server: Host;
  readonly #name: string;
  readonly #parser = new RequestParser();
  #isBroken = false;
  /** Sent, and not yet begun by the server. */
  #queue: Exchange[] = [];
  #executing: Exchange | undefined;
  /** Executed, with the place in the server's output where their reply ends. */
  #answered: Answered[] = [];
  #answeredBytes = 0;
  /** Where replies are kept: what the server sent of those that are not complete. */
  #text = "";

  constructor(wire: Follower, client: Sender, server: Host, name: string) {
    this.#wire = wire;
    this.#client = client;
    this.#server = server;
    this.#name = name;
  }

  request(bytes: Uint8Array, send: (requests: readonly TappedMessage[]) => boolean): void {
    const { host } = this.#client;
    const messages = this.#parse(bytes);
    const exchanges = messages.map((message) => this.#wire.sends(message, this.#client));
    const leave = (): void => {
      if (!send(exchanges)) return;
      for (const exchange of exchanges) this.#wire.sent(exchange);
      this.#queue.push(...exchanges);
    };
    let resume = (): void => {};
    // Only a host that waits is suspended, and only what it sends from here on.
    if (this.#wire.at("send", exchanges, () => resume())) {
      resume = host.suspend();
      host.sendWhenRunning(leave);
    } else leave();
  }

  reply(bytes: Uint8Array): readonly TappedMessage[] {
    const began = this.#answeredBytes - this.#text.length;
    this.#answeredBytes += bytes.length;
    const complete = this.#answered.filter(({ endsAt }) => endsAt <= this.#answeredBytes);
    if (this.#wire.keepsReplies === true) this.#readReplies(complete, began, fromBytes(bytes));
    this.#answered = this.#answered.slice(complete.length);
    return complete.map(({ exchange }) => exchange);
  }

  /** @param began the place in the server's output at which the kept text begins */
  #readReplies(complete: readonly Answered[], began: number, text: string): void {
    this.#text += text;
    let from = 0;
    for (const { exchange, endsAt } of complete) {
      exchange.reply = replyWords(this.#text.slice(from, endsAt - began));
      from = endsAt - began;
    }
    this.#text = this.#text.slice(from);
  }

  readonly requestsArrive = (messages: readonly TappedMessage[], goOn: () => void): boolean => {
    const exchanges = messages as readonly Exchange[];
    for (const exchange of exchanges) exchange.reachedNs = this.#wire.now();
    return this.#wire.at("before", exchanges, goOn);
  };

  readonly repliesArrive = (messages: readonly TappedMessage[], goOn: () => void): boolean => {
    const exchanges = messages as readonly Exchange[];
    for (const exchange of exchanges) exchange.repliedNs = this.#wire.now();
    return this.#wire.at("reply", exchanges, goOn);
  };

  begins(): void {
    this.#executing = this.#queue.shift();
  }

  ends(repliedAt: number | undefined): void {
    const exchange = this.#executing;
    this.#executing = undefined;
    if (exchange === undefined) return;
    exchange.appliedNs = this.#wire.now();
    if (repliedAt !== undefined) this.#answered.push({ exchange, endsAt: repliedAt });
    let resume = (): void => {};
    // The server is in the middle of its step: it has sent nothing yet.
    if (this.#wire.at("after", [exchange], () => resume())) resume = this.#server.suspend();
  }

  #parse(bytes: Uint8Array): readonly SentMessage[] {
    if (this.#isBroken) return [];
    this.#parser.push(fromBytes(bytes));
    const messages: SentMessage[] = [];
    for (;;) {
      const request = this.#parser.next(true);
      if (request === undefined) return messages;
      if ("protocolError" in request) {
        // The server closes such a connection.
        this.#isBroken = true;
        return messages;
      }
      const [name] = request;
      if (name === undefined) continue;
      messages.push({
        server: this.#server.name,
        connection: this.#name,
        command: name.toUpperCase(),
        script: scriptOf(request),
        keys: keysOfRequest(request),
        ...(this.#wire.keepsReplies === true ? { words: request.map(shortText) } : {}),
      });
    }
  }
}

/** Which script a request runs, if it runs one: a text is named by its hash, as the server knows it. */
function scriptOf([name = "", body = ""]: readonly string[]): string | undefined {
  const command = name.toUpperCase().replace(/_RO$/, "");
  if (command === "EVAL") return sha1(body);
  if (command === "EVALSHA") return body.toLowerCase();
  return command === "FCALL" ? body : undefined;
}

function keysOfRequest(argv: readonly string[]): readonly string[] {
  const [name = "", sub = ""] = argv;
  const found = buildCommands("8.0.2", NO_MORE).get(name.toLowerCase());
  const command = found?.subcommands?.get(sub.toLowerCase()) ?? found;
  return keysOf(argv, command?.keys ?? NO_KEYS).map((key) => Buffer.from(key, "latin1").toString("utf8"));
}
