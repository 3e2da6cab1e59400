import { LuaTable, type Value } from "../../lua/script.ts";
import { formatDouble } from "../numbers/floats.ts";
import {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  ErrorReply,
  MapReply,
  NullArrayReply,
  PushReply,
  SetReply,
  StatusReply,
  VerbatimReply,
  type Reply,
} from "../protocol/reply.ts";
import type { Protocol } from "../protocol/resp-encoder.ts";
import type { RedisServer } from "../server.ts";

/** A reply in the form for a script with this protocol version: 2, unless it called `redis.setresp`. */
export function replyToLua(reply: Reply, protocol: Protocol): Value {
  if (typeof reply === "string" || typeof reply === "number") return reply;
  if (typeof reply === "bigint") return Number(reply);
  if (reply === null || reply === undefined || reply instanceof NullArrayReply)
    return protocol === 2 ? false : undefined;
  if (Array.isArray(reply)) return listToLua(reply, protocol);
  if (reply instanceof StatusReply) return LuaTable.from({ ok: reply.text });
  if (reply instanceof ErrorReply) return errorTable(reply.text);
  if (reply instanceof PushReply) return listToLua(reply.items, protocol);
  return protocol === 2 ? plainToLua(reply) : typedToLua(reply);
}

/** In version 2 there are neither maps nor sets nor doubles. */
function plainToLua(reply: Reply): Value {
  if (reply instanceof MapReply) return listToLua(reply.flat, 2);
  if (reply instanceof SetReply) return listToLua(reply.items, 2);
  if (reply instanceof BooleanReply) return reply.value ? 1 : 0;
  return typeof reply === "object" && reply !== null && "text" in reply ? reply.text : false;
}

function typedToLua(reply: Reply): Value {
  if (reply instanceof MapReply) {
    const map = new LuaTable();
    for (let index = 0; index + 1 < reply.flat.length; index += 2) {
      map.set(replyToLua(reply.flat[index], 3), replyToLua(reply.flat[index + 1], 3));
    }
    return LuaTable.from({ map });
  }
  if (reply instanceof SetReply) {
    const set = new LuaTable();
    for (const item of reply.items) set.set(replyToLua(item, 3), true);
    return LuaTable.from({ set });
  }
  if (reply instanceof DoubleReply) return LuaTable.from({ double: reply.value });
  if (reply instanceof BooleanReply) return reply.value;
  if (reply instanceof BigNumberReply) return LuaTable.from({ big_number: reply.text });
  if (reply instanceof VerbatimReply) {
    const text = LuaTable.from({ string: reply.text, format: reply.format });
    return LuaTable.from({ verbatim_string: text });
  }
  return undefined;
}

function listToLua(items: readonly Reply[], protocol: Protocol): LuaTable {
  return LuaTable.list(items.map((item) => replyToLua(item, protocol)));
}

/** The table of an error from a command: its text without the dash, and a note that it was counted. */
export function errorTable(text: string): LuaTable {
  return LuaTable.from({ err: text, ignore_error_stats_update: true });
}

/** A script's result, as a reply to a connection. `protocol` is the script's own, which decides about booleans. */
export function luaToReply(value: Value, protocol: Protocol, server: RedisServer): Reply {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return toInteger(value);
    case "boolean":
      if (protocol === 3) return new BooleanReply(value);
      return value ? 1 : null;
    case "object":
      return value instanceof LuaTable ? tableToReply(value, protocol, server) : null;
    default:
      return null;
  }
}

/** C's conversion of a double: truncated; a value that does not fit becomes the smallest integer. */
function toInteger(value: number): number | bigint {
  const cut = Math.trunc(value);
  if (Number.isSafeInteger(cut)) return cut === 0 ? 0 : cut;
  if (!(cut >= -9223372036854775808 && cut < 9223372036854775808)) return -9223372036854775808n;
  return BigInt(cut);
}

function tableToReply(table: LuaTable, protocol: Protocol, server: RedisServer): Reply {
  const error = table.get("err");
  if (typeof error === "string") return new ErrorReply(oneLine(error));
  const status = table.get("ok");
  if (typeof status === "string") return new StatusReply(upToNul(status).replace(/[\r\n]/g, " "));
  const double = table.get("double");
  if (typeof double === "number") {
    return new DoubleReply(double, formatDouble(double, server.isModern ? "shortest" : "17-digits"));
  }
  const big = table.get("big_number");
  if (typeof big === "string") return new BigNumberReply(big.replace(/[\r\n]/g, " "));
  const verbatim = table.get("verbatim_string");
  if (verbatim instanceof LuaTable) {
    const [text, format] = [verbatim.get("string"), verbatim.get("format")];
    if (typeof text === "string" && typeof format === "string") {
      return new VerbatimReply(text, upToNul(format).slice(0, 3).padEnd(3));
    }
  }
  const map = table.get("map");
  if (map instanceof LuaTable) {
    const flat = [...map.entries()].flat().map((each) => luaToReply(each, protocol, server));
    return new MapReply(flat);
  }
  const set = table.get("set");
  if (set instanceof LuaTable) {
    return new SetReply([...set.entries()].map(([item]) => luaToReply(item, protocol, server)));
  }
  const items: Reply[] = [];
  for (let index = 1; ; index += 1) {
    const item = table.get(index);
    if (item === undefined) return items;
    items.push(luaToReply(item, protocol, server));
  }
}

/** An error's text ends at a NUL; neither it nor the text appended to it has line breaks. */
export function oneLine(text: string, suffix = ""): string {
  return (upToNul(text) + suffix).replace(/^[\r\n]+|[\r\n]+$/g, "").replace(/[\r\n]/g, " ");
}

function upToNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}
