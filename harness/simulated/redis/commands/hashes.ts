import { at, changed, drawCountArgument, fail, integerArgument, readAs, syntaxError, writeAs } from "../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../command.ts";
import { add, parseInteger } from "../integers.ts";
import { addLongDoubles, formatLongDouble, isNotFinite, parseLongDouble } from "../long-double.ts";
import { MapReply, OK, type Reply } from "../reply.ts";
import type { HashValue } from "../values.ts";
import { scanCollection } from "./scan.ts";
import { drawMany } from "./draw.ts";

const WRITE = "write denyoom fast";
const READ = "readonly fast";

/** Commands on hashes. */
export const hashCommands: readonly Command[] = [
  command("hset", -4, WRITE, ONE_KEY, (argv, caller) => setFields(argv, caller)),
  command("hmset", -4, WRITE, ONE_KEY, (argv, caller) => {
    setFields(argv, caller);
    return OK;
  }),
  command("hsetnx", 4, WRITE, ONE_KEY, setIfNone),
  command("hget", 3, READ, ONE_KEY, (argv, caller) => fieldsOf(argv, caller)?.get(at(argv, 2)) ?? null),
  command("hmget", -3, READ, ONE_KEY, (argv, caller) => {
    const fields = fieldsOf(argv, caller);
    return argv.slice(2).map((field) => fields?.get(field) ?? null);
  }),
  command("hdel", -3, "write fast", ONE_KEY, deleteFields),
  command("hlen", 2, READ, ONE_KEY, (argv, caller) => fieldsOf(argv, caller)?.size ?? 0),
  command("hstrlen", 3, READ, ONE_KEY, (argv, caller) => fieldsOf(argv, caller)?.get(at(argv, 2))?.length ?? 0),
  command("hexists", 3, READ, ONE_KEY, (argv, caller) => (fieldsOf(argv, caller)?.has(at(argv, 2)) === true ? 1 : 0)),
  command("hkeys", 2, "readonly", ONE_KEY, (argv, caller) => [...(fieldsOf(argv, caller)?.keys() ?? [])]),
  command("hvals", 2, "readonly", ONE_KEY, (argv, caller) => [...(fieldsOf(argv, caller)?.values() ?? [])]),
  command(
    "hgetall",
    2,
    "readonly",
    ONE_KEY,
    (argv, caller) => new MapReply([...(fieldsOf(argv, caller) ?? [])].flat()),
  ),
  command("hincrby", 4, WRITE, ONE_KEY, increment),
  command("hincrbyfloat", 4, WRITE, ONE_KEY, incrementByFloat),
  command("hrandfield", -2, "readonly", ONE_KEY, randomFields),
  command("hscan", -3, "readonly", ONE_KEY, (argv, caller) =>
    scanCollection(argv, caller, "hash", (key, noValues) => {
      const fields = readAs(caller, key, "hash")?.fields ?? [];
      return [...fields].map(([field, value]) => (noValues ? [field] : [field, value]));
    }),
  ),
];

function fieldsOf(argv: readonly string[], caller: Caller): Map<string, string> | undefined {
  return readAs(caller, at(argv, 1), "hash")?.fields;
}

/** The hash to change; made if it does not exist. */
function hashToWrite(caller: Caller, key: string): HashValue {
  const found = writeAs(caller, key, "hash");
  if (found !== undefined) return found;
  const value: HashValue = { type: "hash", fields: new Map(), encoding: "listpack" };
  caller.db.add(key, value);
  return value;
}

function put(caller: Caller, hash: HashValue, field: string, value: string): void {
  hash.fields.set(field, value);
  if (hash.encoding === "hashtable") return;
  const { config } = caller.server;
  const longest = config.number("hash-max-listpack-value");
  const isLong = field.length > longest || value.length > longest;
  if (isLong || hash.fields.size > config.number("hash-max-listpack-entries")) hash.encoding = "hashtable";
}

function setFields(argv: readonly string[], caller: Caller): number {
  if (argv.length % 2 !== 0) {
    return fail(`ERR wrong number of arguments for '${at(argv, 0).toLowerCase()}' command`);
  }
  const key = at(argv, 1);
  const hash = hashToWrite(caller, key);
  // A long argument makes a hash table of it even before anything is stored.
  const longest = caller.server.config.number("hash-max-listpack-value");
  if (argv.slice(2).some((argument) => argument.length > longest)) hash.encoding = "hashtable";
  const before = hash.fields.size;
  for (let index = 2; index < argv.length; index += 2) put(caller, hash, at(argv, index), at(argv, index + 1));
  changed(caller, key, (argv.length - 2) / 2);
  caller.db.notify("h", "hset", key);
  return hash.fields.size - before;
}

function setIfNone(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const field = at(argv, 2);
  const hash = hashToWrite(caller, key);
  if (hash.fields.has(field)) return 0;
  put(caller, hash, field, at(argv, 3));
  changed(caller, key);
  caller.db.notify("h", "hset", key);
  return 1;
}

function deleteFields(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const hash = writeAs(caller, key, "hash");
  if (hash === undefined) return 0;
  const deleted = argv.slice(2).filter((field) => hash.fields.delete(field)).length;
  if (deleted === 0) return 0;
  changed(caller, key, deleted);
  caller.db.notify("h", "hdel", key);
  dropIfEmpty(caller, key, hash.fields.size);
  return deleted;
}

/** Deletes a collection that has become empty, and says so. */
export function dropIfEmpty(caller: Caller, key: string, size: number): void {
  if (size > 0) return;
  caller.db.delete(key);
  caller.db.notify("g", "del", key);
}

function increment(argv: readonly string[], caller: Caller): Reply {
  const amount = integerArgument(at(argv, 3));
  const key = at(argv, 1);
  const field = at(argv, 2);
  const hash = hashToWrite(caller, key);
  const before = hash.fields.get(field);
  const value = before === undefined ? 0 : (parseInteger(before) ?? fail("ERR hash value is not an integer"));
  const after = add(value, amount);
  if (after === undefined) return fail("ERR increment or decrement would overflow");
  put(caller, hash, field, String(after));
  changed(caller, key);
  caller.db.notify("h", "hincrby", key);
  return after;
}

function incrementByFloat(argv: readonly string[], caller: Caller): Reply {
  const amount = parseLongDouble(at(argv, 3)) ?? fail("ERR value is not a valid float");
  if (isNotFinite(amount)) return fail("ERR value is NaN or Infinity");
  const key = at(argv, 1);
  const field = at(argv, 2);
  const hash = hashToWrite(caller, key);
  const before = hash.fields.get(field);
  const value = parseLongDouble(before ?? "0") ?? fail("ERR hash value is not a float");
  const after = addLongDoubles(value, amount);
  if (isNotFinite(after)) return fail("ERR increment would produce NaN or Infinity");
  const text = formatLongDouble(after);
  put(caller, hash, field, text);
  changed(caller, key);
  caller.db.notify("h", "hincrbyfloat", key);
  caller.server.rewritten = ["HSET", key, field, text];
  return text;
}

function randomFields(argv: readonly string[], caller: Caller): Reply {
  if (argv.length === 2) {
    const fields = [...(fieldsOf(argv, caller)?.keys() ?? [])];
    return fields[caller.server.random.integer(0, Math.max(0, fields.length - 1))] ?? null;
  }
  const withValues = argv.length === 4 && at(argv, 3).toLowerCase() === "withvalues";
  const count = drawCountArgument(at(argv, 2), withValues);
  if (argv.length > 3 && !withValues) throw syntaxError;
  const entries = [...(fieldsOf(argv, caller) ?? [])];
  const drawn = drawMany(caller.server.random, entries, count);
  if (!withValues) return drawn.map(([field]) => field);
  return caller.resp === 3 ? drawn : drawn.flat();
}
