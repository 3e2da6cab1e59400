/**
 * The reply of a command, before the protocol version of its connection is known. A string is a bulk string (binary,
 * one byte per UTF-16 unit), a number or bigint an integer, null the null bulk string, an array an array, and undefined
 * no reply at all. Everything else is one of the classes below.
 */
export type Reply = string | number | bigint | null | undefined | readonly Reply[] | ReplyObject;

type ReplyObject =
  | StatusReply
  | ErrorReply
  | NullArrayReply
  | DoubleReply
  | BooleanReply
  | BigNumberReply
  | VerbatimReply
  | MapReply
  | SetReply
  | PushReply
  | SeveralReplies;

/** A simple string, `+OK`. */
export class StatusReply {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An error. `text` begins with its code, `ERR syntax error`, without the leading dash. */
export class ErrorReply {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The null array of RESP2, `*-1`; a plain null in RESP3. */
export class NullArrayReply {
  readonly kind = "null-array";
}

/** A double; a bulk string in RESP2. `text` is its written form. */
export class DoubleReply {
  readonly value: number;
  readonly text: string;
  constructor(value: number, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** A boolean; 0 or 1 in RESP2. */
export class BooleanReply {
  readonly value: boolean;
  constructor(value: boolean) {
    this.value = value;
  }
}

/** A big number; a bulk string in RESP2. */
export class BigNumberReply {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Text with a three-letter format; a bulk string in RESP2. */
export class VerbatimReply {
  readonly text: string;
  readonly format: string;
  constructor(text: string, format = "txt") {
    this.text = text;
    this.format = format;
  }
}

/** A map, as a flat list of keys and values in turn; a flat array in RESP2. */
export class MapReply {
  readonly flat: readonly Reply[];
  constructor(flat: readonly Reply[]) {
    this.flat = flat;
  }
}

/** A set; an array in RESP2. */
export class SetReply {
  readonly items: readonly Reply[];
  constructor(items: readonly Reply[]) {
    this.items = items;
  }
}

/** An out-of-band message; an array in RESP2. */
export class PushReply {
  readonly items: readonly Reply[];
  constructor(items: readonly Reply[]) {
    this.items = items;
  }
}

/** Answers sent one after another, as SUBSCRIBE to several channels has them. */
export class SeveralReplies {
  readonly replies: readonly Reply[];
  constructor(replies: readonly Reply[]) {
    this.replies = replies;
  }
}

export const OK = new StatusReply("OK");
export const QUEUED = new StatusReply("QUEUED");
export const NULL_ARRAY = new NullArrayReply();

export const SYNTAX_ERROR = new ErrorReply("ERR syntax error");
export const WRONG_TYPE = new ErrorReply("WRONGTYPE Operation against a key holding the wrong kind of value");
export const NOT_AN_INTEGER = new ErrorReply("ERR value is not an integer or out of range");
export const NOT_A_FLOAT = new ErrorReply("ERR value is not a valid float");
export const NO_SUCH_KEY = new ErrorReply("ERR no such key");
export const INDEX_OUT_OF_RANGE = new ErrorReply("ERR index out of range");

/** Thrown by the parsing of arguments; the dispatcher turns it into its reply. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
  readonly reply: ErrorReply;
  constructor(reply: ErrorReply) {
    super(reply.text);
    this.reply = reply;
  }
}

/**
 * An error reply from arbitrary text, as the server formats it: line breaks at the end are dropped, others become
 * spaces. `text` begins with the code.
 */
export function errorReply(text: string): ErrorReply {
  return new ErrorReply(text.replace(/^[\r\n]+|[\r\n]+$/g, "").replace(/[\r\n]/g, " "));
}
