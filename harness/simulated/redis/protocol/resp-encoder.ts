import {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  ErrorReply,
  MapReply,
  NullArrayReply,
  PushReply,
  SetReply,
  SeveralReplies,
  StatusReply,
  type Reply,
} from "./reply.ts";

/** Version of the protocol that a connection speaks. */
export type Protocol = 2 | 3;

/** A reply as bytes on the wire, in a binary string. Undefined becomes nothing. */
export function encodeReply(reply: Reply, protocol: Protocol): string {
  if (typeof reply === "string") return `$${reply.length}\r\n${reply}\r\n`;
  if (typeof reply === "number" || typeof reply === "bigint") return `:${reply}\r\n`;
  if (reply === null) return protocol === 2 ? "$-1\r\n" : "_\r\n";
  if (reply === undefined) return "";
  if (Array.isArray(reply)) return encodeList("*", reply, protocol);
  if (reply instanceof StatusReply) return `+${reply.text}\r\n`;
  if (reply instanceof ErrorReply) return `-${reply.text}\r\n`;
  if (reply instanceof PushReply) return encodeList(protocol === 2 ? "*" : ">", reply.items, protocol);
  if (reply instanceof SeveralReplies) return reply.replies.map((each) => encodeReply(each, protocol)).join("");
  if (protocol === 3) return encodeTyped(reply);
  if (reply instanceof NullArrayReply) return "*-1\r\n";
  if (reply instanceof MapReply) return encodeList("*", reply.flat, 2);
  if (reply instanceof SetReply) return encodeList("*", reply.items, 2);
  if (reply instanceof BooleanReply) return reply.value ? ":1\r\n" : ":0\r\n";
  if ("text" in reply) return `$${reply.text.length}\r\n${reply.text}\r\n`;
  return "";
}

/** The types that only RESP3 has. */
function encodeTyped(reply: Reply): string {
  if (reply instanceof NullArrayReply) return "_\r\n";
  if (reply instanceof MapReply) {
    return `%${reply.flat.length / 2}\r\n${reply.flat.map((each) => encodeReply(each, 3)).join("")}`;
  }
  if (reply instanceof SetReply) return encodeList("~", reply.items, 3);
  if (reply instanceof DoubleReply) return `,${reply.text}\r\n`;
  if (reply instanceof BooleanReply) return reply.value ? "#t\r\n" : "#f\r\n";
  if (reply instanceof BigNumberReply) return `(${reply.text}\r\n`;
  if (typeof reply === "object" && reply !== null && "format" in reply) {
    return `=${reply.text.length + 4}\r\n${reply.format}:${reply.text}\r\n`;
  }
  return "";
}

function encodeList(sign: string, items: readonly Reply[], protocol: Protocol): string {
  let text = `${sign}${items.length}\r\n`;
  for (const item of items) text += encodeReply(item, protocol);
  return text;
}

/** A command as a client or a replication stream sends it: an array of bulk strings. */
export function encodeCommand(argv: readonly string[]): string {
  let text = `*${argv.length}\r\n`;
  for (const argument of argv) text += `$${argument.length}\r\n${argument}\r\n`;
  return text;
}

/** The bytes of a binary string. */
export function toBytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

/** The binary string of bytes: one UTF-16 unit per byte. */
export function fromBytes(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("latin1");
}
