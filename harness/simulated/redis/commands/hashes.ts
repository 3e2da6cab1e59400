import { at, changed, drawCountArgument, fail, integerArgument, readAs, syntaxError, writeAs } from "../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../command.ts";
import { add, parseInteger } from "../numbers/integers.ts";
import { addLongDoubles, formatLongDouble, isNotFinite, parseLongDouble } from "../numbers/long-double.ts";
import { MapReply, OK, type Reply } from "../protocol/reply.ts";
import { deleteField, expireFieldsFirst, fieldText, liveFields, lookUpField } from "../keyspace/hash-fields.ts";
import type { HashValue } from "../keyspace/values.ts";
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
  command("hget", 3, READ, ONE_KEY, (argv, caller) => textOf(argv, caller) ?? null),
  command("hmget", -3, READ, ONE_KEY, getFields),
  command("hdel", -3, "write fast", ONE_KEY, deleteFields),
  command("hlen", 2, READ, ONE_KEY, (argv, caller) => hashOf(argv, caller)?.fields.size ?? 0),
  command("hstrlen", 3, READ, ONE_KEY, (argv, caller) => textOf(argv, caller)?.length ?? 0),
  command("hexists", 3, READ, ONE_KEY, (argv, caller) => (textOf(argv, caller) === undefined ? 0 : 1)),
  command("hkeys", 2, "readonly", ONE_KEY, (argv, caller) => liveOf(argv, caller).map(([field]) => field)),
  command("hvals", 2, "readonly", ONE_KEY, (argv, caller) => liveOf(argv, caller).map(([, text]) => text)),
  command("hgetall", 2, "readonly", ONE_KEY, (argv, caller) => new MapReply(liveOf(argv, caller).flat())),
  command("hincrby", 4, WRITE, ONE_KEY, increment),
  command("hincrbyfloat", 4, WRITE, ONE_KEY, incrementByFloat),
  command("hrandfield", -2, "readonly", ONE_KEY, randomFields),
  command("hscan", -3, "readonly", ONE_KEY, (argv, caller) =>
    scanCollection(argv, caller, "hash", (key, noValues) => {
      const hash = readAs(caller, key, "hash");
      return (hash === undefined ? [] : liveFields(caller.server, hash)).map(([field, value]) =>
        noValues ? [field] : [field, value],
      );
    }),
  ),
];

function hashOf(argv: readonly string[], caller: Caller): HashValue | undefined {
  return readAs(caller, at(argv, 1), "hash");
}

function textOf(argv: readonly string[], caller: Caller): string | undefined {
  return fieldText(caller, at(argv, 1), hashOf(argv, caller), at(argv, 2));
}

function liveOf(argv: readonly string[], caller: Caller): readonly (readonly [field: string, text: string])[] {
  const hash = hashOf(argv, caller);
  return hash === undefined ? [] : liveFields(caller.server, hash);
}

/** HMGET publishes all its expired fields at once, except a last one that was alone. */
function getFields(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const hash = hashOf(argv, caller);
  if (hash === undefined) return argv.slice(2).map(() => null);
  const found = argv.slice(2).map((field) => lookUpField(caller, key, hash, field, { silent: true }));
  if (found.some(({ state }) => state === "expired")) {
    caller.db.notify("h", "hexpired", key);
    if (found.some(({ state }) => state === "hash-expired")) caller.db.notify("g", "del", key);
  }
  return found.map((each) => (each.state === "found" ? each.text : null));
}

/** The hash to change; made if it does not exist. */
export function hashToWrite(caller: Caller, key: string): HashValue {
  const found = writeAs(caller, key, "hash");
  if (found !== undefined) return found;
  const value: HashValue = { type: "hash", fields: new Map(), expires: new Map(), encoding: "listpack" };
  caller.db.add(key, value);
  return value;
}

/** Sets a field, and removes its expiry unless it keeps its time. */
export function put(caller: Caller, hash: HashValue, field: string, value: string, keepsExpiry = false): void {
  hash.fields.set(field, value);
  if (!keepsExpiry) hash.expires.delete(field);
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
  // A long argument turns it into a hash table even before anything is stored.
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
  const before = hashToWrite(caller, key);
  if (lookUpField(caller, key, before, field).state === "found") return 0;
  const hash = hashToWrite(caller, key);
  put(caller, hash, field, at(argv, 3));
  changed(caller, key);
  caller.db.notify("h", "hset", key);
  return 1;
}

function deleteFields(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const hash = writeAs(caller, key, "hash");
  if (hash === undefined) return 0;
  const deleted = argv.slice(2).filter((field) => deleteField(hash, field)).length;
  if (deleted === 0) return 0;
  changed(caller, key, deleted);
  caller.db.notify("h", "hdel", key);
  dropIfEmpty(caller, key, hash.fields.size);
  return deleted;
}

/** Deletes a collection that has become empty, and publishes that. */
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
  const before = fieldText(caller, key, hash, field);
  const value = before === undefined ? 0 : (parseInteger(before) ?? fail("ERR hash value is not an integer"));
  const after = add(value, amount);
  if (after === undefined) return fail("ERR increment or decrement would overflow");
  put(caller, hashToWrite(caller, key), field, String(after), true);
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
  const before = fieldText(caller, key, hash, field);
  const value = parseLongDouble(before ?? "0") ?? fail("ERR hash value is not a float");
  const after = addLongDoubles(value, amount);
  if (isNotFinite(after)) return fail("ERR increment would produce NaN or Infinity");
  const text = formatLongDouble(after);
  put(caller, hashToWrite(caller, key), field, text, true);
  changed(caller, key);
  caller.db.notify("h", "hincrbyfloat", key);
  caller.server.rewritten = ["HSET", key, field, text];
  return text;
}

function toDrawFrom(argv: readonly string[], caller: Caller): readonly (readonly [field: string, text: string])[] {
  const hash = hashOf(argv, caller);
  if (hash === undefined) return [];
  expireFieldsFirst(caller, at(argv, 1), hash);
  return liveFields(caller.server, hash);
}

function randomFields(argv: readonly string[], caller: Caller): Reply {
  if (argv.length === 2) {
    const fields = toDrawFrom(argv, caller).map(([field]) => field);
    return fields[caller.server.random.integer(0, Math.max(0, fields.length - 1))] ?? null;
  }
  const withValues = argv.length === 4 && at(argv, 3).toLowerCase() === "withvalues";
  const count = drawCountArgument(at(argv, 2), withValues);
  if (argv.length > 3 && !withValues) throw syntaxError;
  const entries = toDrawFrom(argv, caller);
  const drawn = drawMany(caller.server.random, entries, count);
  if (!withValues) return drawn.map(([field]) => field);
  return caller.resp === 3 ? drawn : drawn.flat();
}
