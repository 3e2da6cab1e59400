import type { MessageTrigger, MessageMoment } from "../trigger.ts";

/** A command that a client sent to a server, and when it came how far. Times are nanoseconds since the start of the run. */
export interface WireMessage {
  /** Index of the client. */
  readonly client: number;
  /** Name of the data node or Sentinel. */
  readonly server: string;
  /** In capitals. */
  readonly command: string;
  /** Of a script or a function: which one, the same whether its text or only its hash is sent. */
  readonly script?: string | undefined;
  /** The keys that it names, also as keys of a script. */
  readonly keys: readonly string[];
  /** The k-th with this client, server and command, in the order of sending, from 1. */
  readonly count: number;
  /** `client-0>node-0#1`: the first connection that this client opened to this server. */
  readonly connection: string;
  readonly sentNs: number;
  /** Absent if it never reached the server. */
  readonly reachedNs?: number | undefined;
  /** Absent if the server never ran it. */
  readonly appliedNs?: number | undefined;
  /** When its reply reached the client's machine; absent if none did. */
  readonly repliedNs?: number | undefined;
  /** Index of the invocation in the history under which it was sent; absent if none was under way, or nobody knows which of several. */
  readonly operation?: number | undefined;
  /** The beginning of the reply in words, where replies are kept. */
  readonly reply?: string | undefined;
}

/** A command at one of its moments. */
export interface MessageAt extends Pick<WireMessage, "client" | "server" | "command" | "keys"> {
  readonly moment: MessageMoment;
}

/** Counts commands for triggers: each trigger comes once, at the k-th command that matches. */
export class MessageCounter {
  readonly #open: { readonly index: number; readonly trigger: MessageTrigger; left: number }[];

  constructor(triggers: readonly MessageTrigger[]) {
    this.#open = triggers.map((trigger, index) => ({ index, trigger, left: trigger.count ?? 1 }));
  }

  /** Counts a command at a moment. Returns the indexes of the triggers that come with it. */
  count(message: MessageAt): readonly number[] {
    const due: number[] = [];
    for (const open of this.#open) {
      if (open.left === 0 || !matches(open.trigger, message)) continue;
      open.left -= 1;
      if (open.left === 0) due.push(open.index);
    }
    return due;
  }
}

function matches({ moment, command, key, client, server }: MessageTrigger, message: MessageAt): boolean {
  return (
    moment === message.moment &&
    (command === undefined || command === message.command) &&
    (key === undefined || message.keys.includes(key)) &&
    (client === undefined || client === message.client) &&
    (server === undefined || server === message.server)
  );
}
