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
import { command, NO_KEYS, ONE_KEY, TWO_KEYS, type Caller, type Command } from "../command.ts";
import { INDEX_OUT_OF_RANGE, NO_SUCH_KEY, NULL_ARRAY, OK, type Reply } from "../protocol/reply.ts";
import type { ListValue } from "../keyspace/values.ts";

import { multiplePopArguments, timeoutArgument, type MultiplePop } from "./blocking-arguments.ts";

type End = "left" | "right";

/** Commands on lists. */
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
  command("lpos", -3, "readonly", ONE_KEY, positionsOf),
  command("linsert", 5, "write denyoom", ONE_KEY, insert),
  command("rpoplpush", 3, "write denyoom", TWO_KEYS, (argv, caller) =>
    move(caller, at(argv, 1), at(argv, 2), "right", "left"),
  ),
  command("lmove", 5, "write denyoom", TWO_KEYS, (argv, caller) =>
    move(caller, at(argv, 1), at(argv, 2), endArgument(at(argv, 3)), endArgument(at(argv, 4))),
  ),
  command(
    "lmpop",
    -4,
    "write movablekeys",
    NO_KEYS,
    (argv, caller) => popFromFirst(caller, multiplePopArguments(argv, 1, endArgument)) ?? NULL_ARRAY,
  ),
];

/** Commands on lists that wait for a value. Scripts could not call the older ones before 7.2. */
export const blockingListCommands = { old: blocking("noscript "), modern: blocking("") };

function blocking(noscript: string): readonly Command[] {
  return [
    command("blpop", -3, `write ${noscript}blocking`, [1, -2, 1], (argv, caller) => blockingPop(argv, caller, "left")),
    command("brpop", -3, `write ${noscript}blocking`, [1, -2, 1], (argv, caller) => blockingPop(argv, caller, "right")),
    command("brpoplpush", 4, `write denyoom ${noscript}blocking`, TWO_KEYS, (argv, caller) =>
      blockingMove(argv, caller, "right", "left"),
    ),
    command("blmove", 6, `write denyoom ${noscript}blocking`, TWO_KEYS, (argv, caller) =>
      blockingMove(argv, caller, endArgument(at(argv, 3)), endArgument(at(argv, 4))),
    ),
    command("blmpop", -5, "write blocking movablekeys", NO_KEYS, (argv, caller) => {
      const request = multiplePopArguments(argv, 2, endArgument);
      const timeoutMs = timeoutArgument(at(argv, 1), caller.server);
      const { keys, where, count } = request;
      return (
        popFromFirst(caller, request) ??
        caller.server.blocked.wait(caller, { keys, type: "list", timeoutMs }, (key) =>
          caller.server.isModern ? argv : ["blmpop", at(argv, 1), "1", key, where, "count", String(count)],
        )
      );
    }),
  ];
}

function blockingPop(argv: readonly string[], caller: Caller, end: End): Reply {
  const keys = argv.slice(1, -1);
  const timeout = at(argv, argv.length - 1);
  const timeoutMs = timeoutArgument(timeout, caller.server);
  for (const key of keys) {
    const list = writeAs(caller, key, "list");
    if (list === undefined) continue;
    const [item] = take(caller, key, list, end, 1);
    caller.server.rewritten = [end === "left" ? "LPOP" : "RPOP", key];
    return [key, item];
  }
  return caller.server.blocked.wait(caller, { keys, type: "list", timeoutMs }, (key) =>
    caller.server.isModern ? argv : [at(argv, 0), key, timeout],
  );
}

/** LMPOP: the reply from the first key that has a list; undefined when none has one. */
function popFromFirst(caller: Caller, { keys, where, count }: MultiplePop<End>): Reply | undefined {
  for (const key of keys) {
    const list = writeAs(caller, key, "list");
    if (list === undefined) continue;
    const popped = take(caller, key, list, where, count);
    caller.server.rewritten = [where === "left" ? "LPOP" : "RPOP", key, String(popped.length)];
    return [key, popped];
  }
  return undefined;
}

function blockingMove(argv: readonly string[], caller: Caller, popEnd: End, pushEnd: End): Reply {
  const { server } = caller;
  const [name, from, to] = [at(argv, 0).toLowerCase(), at(argv, 1), at(argv, 2)];
  const timeoutMs = timeoutArgument(at(argv, argv.length - 1), server);
  if (writeAs(caller, from, "list") === undefined) {
    // 7.0 keeps only the meaning of the ends, and writes them in lower case when it serves.
    const again = server.isModern ? argv : argv.map((word, index) => (index > 2 ? word.toLowerCase() : word));
    return server.blocked.wait(caller, { keys: [from], type: "list", timeoutMs }, () => again, null);
  }
  const reply = move(caller, from, to, popEnd, pushEnd);
  server.rewritten = name === "blmove" ? ["LMOVE", ...argv.slice(1, 5)] : ["RPOPLPUSH", from, to];
  return reply;
}

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

interface PositionOptions {
  rank: number;
  count?: number;
  maxLength: number;
}

function parsePositionOptions(argv: readonly string[]): PositionOptions {
  const options: PositionOptions = { rank: 1, maxLength: 0 };
  for (let index = 3; index < argv.length; index += 2) {
    const option = at(argv, index).toLowerCase();
    const text = argv[index + 1];
    if (text === undefined) throw syntaxError;
    if (option === "rank") {
      options.rank = drawCountArgument(text);
      if (options.rank === 0) {
        fail(
          "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
        );
      }
    } else if (option === "count") options.count = countArgument(text, "ERR COUNT can't be negative");
    else if (option === "maxlen") options.maxLength = countArgument(text, "ERR MAXLEN can't be negative");
    else throw syntaxError;
  }
  return options;
}

/** LPOS: the position of an item; with COUNT, that many positions, 0 for all. */
function positionsOf(argv: readonly string[], caller: Caller): Reply {
  const { rank, count, maxLength } = parsePositionOptions(argv);
  const list = readAs(caller, at(argv, 1), "list");
  const wanted = at(argv, 2);
  const all = list?.items ?? [];
  const indexes = rank < 0 ? [...all.keys()].toReversed() : [...all.keys()];
  const matches = indexes.slice(0, maxLength === 0 ? undefined : maxLength).filter((index) => all[index] === wanted);
  const from = matches.slice(Math.abs(rank) - 1);
  if (count === undefined) return from[0] ?? null;
  return count === 0 ? from : from.slice(0, count);
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
  const popped = take(caller, key, list, end, count ?? 1);
  return count === undefined ? (popped[0] ?? null) : popped;
}

/** Takes up to `count` items, at least one, from an end. */
function take(caller: Caller, key: string, list: ListValue, end: End, count: number): readonly string[] {
  const popped =
    end === "left" ? list.items.splice(0, count) : list.items.splice(-Math.min(count, list.items.length)).reverse();
  caller.db.notify("l", end === "left" ? "lpop" : "rpop", key);
  dropIfEmptyFirst(caller, key, list, popped.length);
  return popped;
}

/** Here the key's deletion is published before it counts as changed. */
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
  // Since 7.2 the server keeps the index in 32 bits, so larger ones wrap around.
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
