import { at, changed, fail, numberArgument, readAs, syntaxError, writeAs } from "../../arguments.ts";
import { command, NO_KEYS, ONE_KEY, type Caller, type Command } from "../../command.ts";
import { Stream } from "../../keyspace/stream.ts";
import {
  compareIds,
  FIRST_ID,
  formatId,
  LAST_ID,
  nextId,
  UINT64_MAX,
  type StreamId,
} from "../../keyspace/stream-id.ts";
import { parseUnsigned } from "../../numbers/integers.ts";
import { NULL_ARRAY, type Reply } from "../../protocol/reply.ts";
import { claimCommands } from "./claims.ts";
import { groupCommands } from "./consumer-groups.ts";
import { pendingCommands } from "./pending-entries.ts";
import { entryReply, INVALID_ID, lowerBound, parseId, strictId, upperBound } from "./stream-ids.ts";
import { infoCommands } from "./stream-info.ts";
import { read, readGroup } from "./stream-reads.ts";

/** Approximate trimming removes only whole nodes of this many entries. */
const NODE_ENTRIES = 100;
const DEFAULT_LIMIT = 100 * NODE_ENTRIES;

/** Commands on streams. Those on entries are in this file. */
export const streamCommands: readonly Command[] = [
  command("xadd", -5, "write denyoom fast", ONE_KEY, add),
  command("xlen", 2, "readonly fast", ONE_KEY, (argv, caller) => streamOf(argv, caller)?.entries.length ?? 0),
  command("xrange", -4, "readonly", ONE_KEY, (argv, caller) => range(argv, caller, false)),
  command("xrevrange", -4, "readonly", ONE_KEY, (argv, caller) => range(argv, caller, true)),
  command("xread", -4, "readonly blocking movablekeys", NO_KEYS, read),
  command("xdel", -3, "write fast", ONE_KEY, remove),
  command("xtrim", -4, "write", ONE_KEY, trim),
  command("xreadgroup", -7, "blocking movablekeys write", NO_KEYS, readGroup),
  ...groupCommands,
  ...pendingCommands,
  ...claimCommands,
  ...infoCommands,
];

function streamOf(argv: readonly string[], caller: Caller): Stream | undefined {
  return readAs(caller, at(argv, 1), "stream")?.stream;
}

interface AddOptions {
  create: boolean;
  trim?: Trim;
  /** Undefined: made from the clock. Without `sequence` only the first part is given. */
  id?: { readonly ms: bigint; readonly sequence?: bigint };
  /** Index of the ID among the arguments. */
  idIndex: number;
}

interface Trim {
  readonly strategy: "maxlen" | "minid";
  readonly approximate: boolean;
  readonly argumentIndex: number;
  readonly length: number;
  readonly id: StreamId;
  /** The most entries that approximate trimming removes at a time; 0: any number. */
  readonly limit: number;
}

function parseAdd(argv: readonly string[], isAdd: boolean): AddOptions {
  const options: AddOptions = { create: true, idIndex: argv.length };
  let limit: number | undefined;
  for (let index = 2; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    const hasMore = index + 1 < argv.length;
    if (isAdd && option === "*") {
      options.idIndex = index;
      break;
    }
    if ((option === "maxlen" || option === "minid") && hasMore) {
      if (options.trim !== undefined) {
        fail("ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
      }
      options.trim = parseTrim(argv, index, option);
      index = options.trim.argumentIndex;
    } else if (option === "limit" && hasMore) {
      limit = numberArgument(at(argv, index + 1));
      if (limit < 0) fail("ERR The LIMIT argument must be >= 0.");
      index += 1;
    } else if (isAdd && option === "nomkstream") options.create = false;
    else if (isAdd) {
      options.id = addIdArgument(at(argv, index));
      options.idIndex = index;
      break;
    } else throw syntaxError;
  }
  checkLimit(options, limit, isAdd);
  return options;
}

function checkLimit(options: AddOptions, limit: number | undefined, isAdd: boolean): void {
  if (options.trim === undefined) {
    if (limit !== undefined && limit > 0) {
      fail("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
    }
    if (!isAdd) fail("ERR syntax error, XTRIM must be called with a trimming strategy");
  } else if (limit !== undefined) {
    if (!options.trim.approximate) fail("ERR syntax error, LIMIT cannot be used without the special ~ option");
    options.trim = { ...options.trim, limit };
  }
}

function parseTrim(argv: readonly string[], start: number, strategy: Trim["strategy"]): Trim {
  const next = at(argv, start + 1);
  const hasSign = (next === "~" || next === "=") && start + 2 < argv.length;
  const argumentIndex = start + (hasSign ? 2 : 1);
  const text = at(argv, argumentIndex);
  const length = strategy === "maxlen" ? numberArgument(text) : 0;
  if (length < 0) fail("ERR The MAXLEN argument must be >= 0.");
  const id = strategy === "minid" ? (parseId(text, 0n) ?? fail(INVALID_ID)) : FIRST_ID;
  return { strategy, approximate: hasSign && next === "~", argumentIndex, length, id, limit: DEFAULT_LIMIT };
}

function addIdArgument(text: string): { ms: bigint; sequence?: bigint } {
  const dash = text.indexOf("-");
  if (text.slice(dash) !== "-*") return parseId(text, 0n) ?? fail(INVALID_ID);
  return { ms: parseUnsigned(text.slice(0, dash)) ?? fail(INVALID_ID) };
}

function add(argv: readonly string[], caller: Caller): Reply {
  const { db, server } = caller;
  const options = parseAdd(argv, true);
  const fields = argv.slice(options.idIndex + 1);
  if (fields.length < 2 || fields.length % 2 !== 0) fail("ERR wrong number of arguments for 'xadd' command");
  if (options.id?.ms === 0n && options.id.sequence === 0n) {
    fail("ERR The ID specified in XADD must be greater than 0-0");
  }
  const key = at(argv, 1);
  let stream = writeAs(caller, key, "stream")?.stream;
  if (stream === undefined) {
    if (!options.create) return null;
    stream = new Stream();
    db.add(key, { type: "stream", stream });
  }
  if (compareIds(stream.lastId, LAST_ID) === 0) {
    fail("ERR The stream has exhausted the last possible ID, unable to add more items");
  }
  const id = newId(stream, options.id, server.nowMs);
  if (id === undefined || compareIds(id, stream.lastId) <= 0) {
    return fail("ERR The ID specified in XADD is equal or smaller than the target stream top item");
  }
  stream.add({ id, fields });
  server.blocked.signal(db, key);
  db.notify("t", "xadd", key);
  server.dirty += 1;
  const rewritten = [...argv];
  if (options.trim !== undefined) {
    if (trimStream(stream, options.trim) > 0) db.notify("t", "xtrim", key);
    if (options.trim.approximate) rewriteTrim(rewritten, stream, options.trim);
  }
  db.touched(key);
  if (options.id?.sequence === undefined) rewritten[options.idIndex] = formatId(id);
  if (rewritten.some((argument, index) => argument !== argv[index])) server.rewritten = rewritten;
  return formatId(id);
}

function newId(stream: Stream, given: AddOptions["id"], nowMs: number): StreamId | undefined {
  const { lastId } = stream;
  if (given === undefined) {
    const now = BigInt(nowMs);
    return now > lastId.ms ? { ms: now, sequence: 0n } : nextId(lastId);
  }
  if (given.sequence !== undefined) return { ms: given.ms, sequence: given.sequence };
  if (given.ms !== lastId.ms) return { ms: given.ms, sequence: 0n };
  return lastId.sequence === UINT64_MAX ? undefined : { ms: lastId.ms, sequence: lastId.sequence + 1n };
}

/** Removes entries from the front; returns how many. */
function trimStream(stream: Stream, options: Trim): number {
  const { length } = stream.entries;
  const surplus = Math.max(0, options.strategy === "maxlen" ? length - options.length : stream.indexOf(options.id));
  const count = options.approximate ? wholeNodes(length, surplus, options.limit) : surplus;
  stream.entries.splice(0, count);
  return count;
}

/** Entries in the nodes at the front that may be removed whole, as many as the limit allows. */
function wholeNodes(length: number, surplus: number, limit: number): number {
  let count = 0;
  while (count < surplus) {
    const node = Math.min(NODE_ENTRIES, length - count);
    if (count + node > surplus || (limit > 0 && count + node > limit)) break;
    count += node;
  }
  return count;
}

/** Approximate trimming is propagated with its exact result. */
function rewriteTrim(argv: string[], stream: Stream, options: Trim): void {
  argv[options.argumentIndex - 1] = "=";
  const first = stream.entries[0]?.id ?? LAST_ID;
  argv[options.argumentIndex] = options.strategy === "maxlen" ? String(stream.entries.length) : formatId(first);
}

function trim(argv: readonly string[], caller: Caller): Reply {
  const options = parseAdd(argv, false);
  const key = at(argv, 1);
  const stream = writeAs(caller, key, "stream")?.stream;
  if (stream === undefined || options.trim === undefined) return 0;
  const count = trimStream(stream, options.trim);
  if (count === 0) return 0;
  caller.db.notify("t", "xtrim", key);
  if (options.trim.approximate) {
    const rewritten = [...argv];
    rewriteTrim(rewritten, stream, options.trim);
    caller.server.rewritten = rewritten;
  }
  changed(caller, key, count);
  return count;
}

function remove(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const stream = writeAs(caller, key, "stream")?.stream;
  if (stream === undefined) return 0;
  const ids = argv.slice(2).map(strictId);
  const count = ids.filter((id) => stream.delete(id)).length;
  if (count === 0) return 0;
  changed(caller, key, count);
  caller.db.notify("t", "xdel", key);
  return count;
}

function range(argv: readonly string[], caller: Caller, reverse: boolean): Reply {
  const [low, high] = reverse ? [at(argv, 3), at(argv, 2)] : [at(argv, 2), at(argv, 3)];
  const start = lowerBound(low);
  const end = upperBound(high);
  let count = Number.POSITIVE_INFINITY;
  for (let index = 4; index < argv.length; index += 2) {
    if (at(argv, index).toLowerCase() !== "count" || index + 1 >= argv.length) throw syntaxError;
    count = Math.max(0, numberArgument(at(argv, index + 1)));
  }
  const stream = streamOf(argv, caller);
  if (stream === undefined) return [];
  if (count === 0) return NULL_ARRAY;
  const found = stream.entries.filter(({ id }) => compareIds(id, start) >= 0 && compareIds(id, end) <= 0);
  return (reverse ? found.reverse() : found).slice(0, count).map(entryReply);
}
