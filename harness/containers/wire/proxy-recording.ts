import type { ObservedMessage, ObservedWire } from "../../core/messages/observed-wire.ts";
import { replyWords } from "../../core/messages/reply-words.ts";
import type { MessageAt } from "../../core/messages/wire-message.ts";

/** A run with more commands than this is looked at from its beginning: there its first violation most likely is. */
const MOST = 20_000;
/** Of a reply, enough for the beginning that is kept, with a head. */
const MOST_BYTES = 400;

/** What a proxy between clients and servers cannot see. */
export const PROXY_GAPS: readonly string[] = [
  "times are those at a proxy beside the clients: when a command reached its server, and when it was applied, is not known",
  "whether a command without a reply reached its server is not known",
  "what servers held, replication between them, and votes of Sentinels were not observed",
];

/** A command that a recording keeps. */
type Entry = { -readonly [K in keyof ObservedMessage]: ObservedMessage[K] };

/** The commands that pass a proxy, and the replies that it passed on. */
export class ProxyRecording {
  readonly #now: () => number;
  readonly #messages: Entry[] = [];
  /** By client, server and command. */
  readonly #counts = new Map<string, number>();
  #leftOut = 0;
  #counting = false;

  /** @param now nanoseconds since the start of the run */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The run begins: commands count from now on. */
  begin(): void {
    this.#counting = true;
  }

  /** A command has come from its client. Returns what to call with the reply when it goes on to the client. */
  arrived({ client, server, command, keys }: Omit<MessageAt, "moment">, connection: string): Reply {
    if (!this.#counting) return () => {};
    if (this.#messages.length >= MOST) {
      this.#leftOut += 1;
      return () => {};
    }
    const kind = `${client} ${server} ${command}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const entry: Entry = { client, server, command, keys, count, connection, sentNs: this.#now() };
    this.#messages.push(entry);
    return (bytes) => {
      entry.repliedNs = this.#now();
      entry.reply = replyWords(Buffer.from(bytes.subarray(0, MOST_BYTES)).toString("latin1"));
    };
  }

  /** What was seen so far. */
  get observed(): ObservedWire {
    const messages = this.#messages.map((entry) => ({ ...entry }));
    return { seenAt: "proxy", gaps: [...PROXY_GAPS], messages, leftOut: this.#leftOut };
  }
}

/** Takes the bytes of the reply to a command. */
export type Reply = (bytes: Uint8Array) => void;
