import {
  at,
  changed,
  countArgument,
  drawCountArgument,
  fail,
  integerArgument,
  numberArgument,
  readAs,
  syntaxError,
  writeAs,
} from "../arguments.ts";
import { command, ONE_KEY, TWO_KEYS, type Caller, type Command } from "../command.ts";
import { INDEX_OUT_OF_RANGE, NO_SUCH_KEY, NULL_ARRAY, OK, type Reply } from "../reply.ts";
import type { ListValue } from "../values.ts";

type End = "left" | "right";

/** Commands on lists, without those that block. */
export const listCommands: readonly Command[] = [
  command("lpush", -3, "write denyoom fast", ONE_KEY, (argv, caller) => push(argv, caller, "left", true)),
  command("rpush", -3, "write denyoom fast", ONE_KEY, (argv, caller) => push(argv, caller, "right", true)),
  command("lpushx", -3, "write denyoom fast", ONE_KEY, (argv, caller) => push(argv, caller, "left", false)),
  command("rpushx", -3, "write denyoom fast", ONE_KEY, (argv, caller) => push(argv, caller, "right", false)),
  command("lpop", -2, "write fast", ONE_KEY, (argv, caller) => pop(argv, caller, "left")),
  command("rpop", -2, "write fast", ONE_KEY, (argv, caller) => pop(argv, caller, "right")),
  command("llen", 2, "readonly fast", ONE_KEY, (argv, caller) => itemsOf(argv, caller).length),
  command("lindex", 3, "readonly", ONE_KEY, (argv, caller) => {
    const value = readAs(caller, at(argv, 1), "list");
    if (value === undefined) return null;
    return value.items.at(numberArgument(at(argv, 2))) ?? null;
  }),
  command("lrange", 4, "readonly", ONE_KEY, (argv, caller) => {
    const start = numberArgument(at(argv, 2));
    const stop = numberArgument(at(argv, 3));
    const items = itemsOf(argv, caller);
    return items.slice(...sliceBounds(start, stop, items.length));
  }),
  command("lset", 4, "write denyoom", ONE_KEY, setItem),
  command("lrem", 4, "write", ONE_KEY, removeItems),
  command("ltrim", 4, "write", ONE_KEY, trim),
  command("linsert", 5, "write denyoom", ONE_KEY, insert),
  command("rpoplpush", 3, "write denyoom", TWO_KEYS, (argv, caller) =>
    move(caller, at(argv, 1), at(argv, 2), "right", "left"),
  ),
  command("lmove", 5, "write denyoom", TWO_KEYS, (argv, caller) =>
    move(caller, at(argv, 1), at(argv, 2), endArgument(at(argv, 3)), endArgument(at(argv, 4))),
  ),
];

function itemsOf(argv: readonly string[], caller: Caller): readonly string[] {
  return readAs(caller, at(argv, 1), "list")?.items ?? [];
}

/** Bounds for `slice` from inclusive ones, which count from the end when negative. */
export function sliceBounds(start: number, stop: number, length: number): [number, number] {
  const from = start < 0 ? Math.max(0, length + start) : start;
  const to = stop < 0 ? length + stop : Math.min(stop, length - 1);
  return from > to || from >= length ? [0, 0] : [from, to + 1];
}

function add(items: string[], end: End, item: string): void {
  if (end === "left") items.unshift(item);
  else items.push(item);
}

function listToWrite(caller: Caller, key: string): ListValue {
  const found = writeAs(caller, key, "list");
  if (found !== undefined) return found;
  const value: ListValue = { type: "list", items: [] };
  caller.db.add(key, value);
  return value;
}

function push(argv: readonly string[], caller: Caller, end: End, create: boolean): Reply {
  const key = at(argv, 1);
  if (!create && writeAs(caller, key, "list") === undefined) return 0;
  const list = listToWrite(caller, key);
  for (const item of argv.slice(2)) add(list.items, end, item);
  changed(caller, key, argv.length - 2);
  caller.db.notify("l", end === "left" ? "lpush" : "rpush", key);
  return list.items.length;
}

function pop(argv: readonly string[], caller: Caller, end: End): Reply {
  const key = at(argv, 1);
  if (argv.length > 3) return fail(`ERR wrong number of arguments for '${at(argv, 0).toLowerCase()}' command`);
  const count = argv.length === 3 ? countArgument(at(argv, 2)) : undefined;
  const list = writeAs(caller, key, "list");
  if (list === undefined) return count === undefined ? null : NULL_ARRAY;
  if (count === 0) return [];
  const popped =
    end === "left"
      ? list.items.splice(0, count ?? 1)
      : list.items.splice(-Math.min(count ?? 1, list.items.length)).reverse();
  caller.db.notify("l", end === "left" ? "lpop" : "rpop", key);
  dropIfEmptyFirst(caller, key, list, popped.length);
  return count === undefined ? (popped[0] ?? null) : popped;
}

/** Here the key's deletion is told before it counts as changed. */
function dropIfEmptyFirst(caller: Caller, key: string, list: ListValue, changes: number): void {
  if (list.items.length === 0) {
    caller.db.delete(key);
    caller.db.notify("g", "del", key);
  }
  changed(caller, key, changes);
}

function setItem(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const list = writeAs(caller, key, "list");
  if (list === undefined) return NO_SUCH_KEY;
  const asked = integerArgument(at(argv, 2));
  // Since 7.2 the server keeps the index in 32 bits, so that larger ones come round.
  const given = Number(caller.server.isModern ? BigInt.asIntN(32, BigInt(asked)) : asked);
  const index = given < 0 ? list.items.length + given : given;
  if (index < 0 || index >= list.items.length) return INDEX_OUT_OF_RANGE;
  list.items[index] = at(argv, 3);
  changed(caller, key);
  caller.db.notify("l", "lset", key);
  return OK;
}

function removeItems(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const given = caller.server.isModern ? drawCountArgument(at(argv, 2)) : numberArgument(at(argv, 2));
  const list = writeAs(caller, key, "list");
  if (list === undefined) return 0;
  const wanted = at(argv, 3);
  const fromEnd = given < 0;
  let left = given === 0 ? Number.POSITIVE_INFINITY : Math.abs(given);
  const order = fromEnd ? list.items.toReversed() : list.items;
  const kept = order.filter((item) => {
    if (item !== wanted || left <= 0) return true;
    left -= 1;
    return false;
  });
  const removed = list.items.length - kept.length;
  if (removed === 0) return 0;
  list.items = fromEnd ? kept.reverse() : kept;
  changed(caller, key, removed);
  caller.db.notify("l", "lrem", key);
  if (list.items.length === 0) {
    caller.db.delete(key);
    caller.db.notify("g", "del", key);
  }
  return removed;
}

function trim(argv: readonly string[], caller: Caller): Reply {
  const start = numberArgument(at(argv, 2));
  const stop = numberArgument(at(argv, 3));
  const key = at(argv, 1);
  const list = writeAs(caller, key, "list");
  if (list === undefined) return OK;
  const before = list.items.length;
  list.items = list.items.slice(...sliceBounds(start, stop, before));
  caller.db.notify("l", "ltrim", key);
  if (list.items.length === 0) {
    caller.db.delete(key);
    caller.db.notify("g", "del", key);
  }
  changed(caller, key, before - list.items.length);
  return OK;
}

function insert(argv: readonly string[], caller: Caller): Reply {
  const where = at(argv, 2).toLowerCase();
  if (where !== "before" && where !== "after") throw syntaxError;
  const key = at(argv, 1);
  const list = writeAs(caller, key, "list");
  if (list === undefined) return 0;
  const index = list.items.indexOf(at(argv, 3));
  if (index < 0) return -1;
  list.items.splice(where === "before" ? index : index + 1, 0, at(argv, 4));
  changed(caller, key);
  caller.db.notify("l", "linsert", key);
  return list.items.length;
}

function endArgument(text: string): End {
  const lower = text.toLowerCase();
  if (lower !== "left" && lower !== "right") throw syntaxError;
  return lower;
}

function move(caller: Caller, from: string, to: string, popEnd: End, pushEnd: End): Reply {
  const source = writeAs(caller, from, "list");
  if (source === undefined) return null;
  writeAs(caller, to, "list");
  const item = popEnd === "left" ? source.items.shift() : source.items.pop();
  if (item === undefined) return null;
  const target = from === to ? source : listToWrite(caller, to);
  add(target.items, pushEnd, item);
  caller.db.touched(to);
  caller.db.notify("l", pushEnd === "left" ? "lpush" : "rpush", to);
  caller.db.notify("l", popEnd === "left" ? "lpop" : "rpop", from);
  if (source.items.length === 0) {
    caller.db.delete(from);
    caller.db.notify("g", "del", from);
  }
  changed(caller, from);
  return item;
}
