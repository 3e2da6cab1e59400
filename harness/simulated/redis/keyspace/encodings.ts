import { parseInteger } from "../numbers/integers.ts";
import type { RedisServer } from "../server.ts";
import type { StoredValue } from "./values.ts";

/** The longest string that is kept in one allocation with its header. */
const EMBEDDED = 44;

/** OBJECT ENCODING of a value. */
export function encodingOf(value: StoredValue, server: RedisServer): string {
  switch (value.type) {
    case "string":
      if (value.form === "edited") return "raw";
      if (value.form === "set" && value.text.length <= 20 && parseInteger(value.text) !== undefined) return "int";
      return value.text.length <= EMBEDDED ? "embstr" : "raw";
    case "list":
      return listEncoding(value.items, server);
    case "set":
    case "zset":
    case "hash":
      return value.encoding;
    case "stream":
      return "stream";
  }
}

/** Only an estimate: a list that has shrunk may still be a quicklist. */
function listEncoding(items: readonly string[], server: RedisServer): string {
  if (!server.isModern) return "quicklist";
  const limit = server.config.number("list-max-listpack-size");
  const bytes = items.reduce((sum, item) => sum + item.length + 2, 7);
  return (limit >= 0 ? items.length <= limit : bytes <= 8192) ? "listpack" : "quicklist";
}
