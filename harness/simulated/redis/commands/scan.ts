import { at, fail, numberArgument, readAs, syntaxError } from "../arguments.ts";
import type { Caller } from "../command.ts";
import { globMatchesKey } from "../glob.ts";
import { parseUnsigned } from "../numbers/integers.ts";
import type { Slot } from "../keyspace/database.ts";
import type { Reply } from "../protocol/reply.ts";

interface ScanOptions {
  readonly matches: (name: string) => boolean;
  readonly count: number;
  readonly type?: string | undefined;
  readonly noValues: boolean;
}

/** SCAN. The cursor is the order number of the first key that was not visited: keys that stay are never missed. */
export function scanKeys(argv: readonly string[], caller: Caller): Reply {
  const cursor = cursorArgument(at(argv, 1), caller.server.isModern);
  const options = parseOptions(argv, 2, caller, "keys");
  const found: string[] = [];
  let looked = 0;
  let next = 0;
  for (const [key, slot] of [...caller.db.slots]) {
    if (slot.order < cursor) continue;
    if (looked >= options.count) {
      next = slot.order;
      break;
    }
    looked += 1;
    if (options.matches(key) && isAlive(caller, key, options.type) && hasType(slot, options.type)) found.push(key);
  }
  return [String(next), found];
}

/** Expires the key if its time is over. With a type, 7.0 looks it up as a reader would, and publishes a miss. */
function isAlive(caller: Caller, key: string, type: string | undefined): boolean {
  if (type !== undefined && !caller.server.isModern) return caller.db.readWithoutTouch(key) !== undefined;
  return caller.db.expireIfNeeded(key, false) === "valid";
}

function hasType(slot: Slot, type: string | undefined): boolean {
  return type === undefined || type === slot.value.type;
}

/** HSCAN, SSCAN and ZSCAN: return everything at once, as the real server does while the collection is small. */
export function scanCollection(
  argv: readonly string[],
  caller: Caller,
  type: "hash" | "set" | "zset",
  items: (key: string, noValues: boolean) => readonly (readonly string[])[],
): Reply {
  cursorArgument(at(argv, 2), caller.server.isModern);
  const key = at(argv, 1);
  if (readAs(caller, key, type) === undefined) return ["0", []];
  const options = parseOptions(argv, 3, caller, type);
  return [
    "0",
    items(key, options.noValues)
      .filter(([name = ""]) => options.matches(name))
      .flat(),
  ];
}

function cursorArgument(text: string, isModern: boolean): bigint {
  if (isModern) return parseUnsigned(text) ?? fail("ERR invalid cursor");
  // 7.0 accepted the empty text and negative numbers, but no blanks before them.
  if (text === "") return 0n;
  const value = /^-[1-9]\d*$/.test(text) ? BigInt.asUintN(64, BigInt(text)) : parseUnsigned(text);
  return value === undefined || /^\s/.test(text) ? fail("ERR invalid cursor") : value;
}

function parseOptions(
  argv: readonly string[],
  start: number,
  caller: Caller,
  target: "keys" | "hash" | "set" | "zset",
): ScanOptions {
  let pattern: string | undefined;
  let count = 10;
  let type: string | undefined;
  let noValues = false;
  for (let index = start; index < argv.length; index += 2) {
    const option = at(argv, index).toLowerCase();
    const value = argv[index + 1];
    if (option === "count" && value !== undefined) {
      count = numberArgument(value);
      if (count < 1) throw syntaxError;
    } else if (option === "match" && value !== undefined) pattern = value;
    else if (option === "type" && value !== undefined && target === "keys") {
      type = value.toLowerCase();
    } else if (option === "novalues" && caller.server.isModern) {
      if (target !== "hash") fail("ERR NOVALUES option can only be used in HSCAN");
      noValues = true;
      index -= 1;
    } else throw syntaxError;
  }
  const matches = pattern === undefined ? () => true : (name: string) => globMatchesKey(pattern, name);
  return { matches, count, noValues, type };
}
