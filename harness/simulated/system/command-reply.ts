import { fromBytes } from "../redis/protocol/resp-encoder.ts";
import { ReplyParser, type ReceivedReply } from "../sentinel/reply-parser.ts";

/** An error that a server answered. */
class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Collects one RESP2 reply and returns it as a client library would: strings, numbers, nulls and arrays. */
export class CommandReply {
  readonly #parser = new ReplyParser();

  push(bytes: Uint8Array): void {
    this.#parser.push(fromBytes(bytes));
  }

  /**
   * The value; undefined while it is incomplete.
   * @throws CommandError when the server answered with an error
   */
  take(): { readonly value: unknown } | undefined {
    const reply = this.#parser.next();
    if (reply === undefined) return undefined;
    if (reply.type === "error") throw new CommandError(reply.text);
    return { value: plain(reply) };
  }
}

function plain(reply: ReceivedReply): unknown {
  switch (reply.type) {
    case "integer":
      return reply.value;
    case "null":
      return null;
    case "array":
      return reply.items.map(plain);
    default:
      return reply.text;
  }
}
