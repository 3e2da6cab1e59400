import { at, changed, fail, integerArgument, numberArgument, readAs, writeAs } from "../arguments.ts";
import { ALL_KEYS, command, ONE_KEY, type Caller, type Command } from "../command.ts";
import { absoluteExpiry, parseSetOptions, type SetOptions } from "../expiry-options.ts";
import { add, multiply, type Integer } from "../numbers/integers.ts";
import { addLongDoubles, formatLongDouble, isNotFinite, parseLongDouble } from "../numbers/long-double.ts";
import { OK, type Reply } from "../protocol/reply.ts";
import { stringValue, type StringValue } from "../keyspace/values.ts";

/** Commands on strings. */
export const stringCommands: readonly Command[] = [
  command("get", 2, "readonly fast", ONE_KEY, (argv, caller) => get(caller, at(argv, 1))),
  command("set", -3, "write denyoom", ONE_KEY, (argv, caller) =>
    set(caller, argv, at(argv, 2), parseSetOptions(argv, 3, "set")),
  ),
  command("setnx", 3, "write denyoom fast", ONE_KEY, (argv, caller) =>
    set(caller, argv, at(argv, 2), { condition: "nx" }) === OK ? 1 : 0,
  ),
  command("setex", 4, "write denyoom", ONE_KEY, (argv, caller) =>
    set(caller, argv, at(argv, 3), { expiry: { unit: "ex", amount: at(argv, 2) } }),
  ),
  command("psetex", 4, "write denyoom", ONE_KEY, (argv, caller) =>
    set(caller, argv, at(argv, 3), { expiry: { unit: "px", amount: at(argv, 2) } }),
  ),
  command("getset", 3, "write denyoom fast", ONE_KEY, getSet),
  command("getdel", 2, "write fast", ONE_KEY, getDelete),
  command("getex", -2, "write fast", ONE_KEY, getExpire),
  command("mget", -2, "readonly fast", ALL_KEYS, (argv, caller) =>
    argv.slice(1).map((key) => {
      const value = caller.db.read(key);
      return value?.type === "string" ? value.text : null;
    }),
  ),
  command("mset", -3, "write denyoom", [1, -1, 2], (argv, caller) => setMany(argv, caller, false)),
  command("msetnx", -3, "write denyoom", [1, -1, 2], (argv, caller) => setMany(argv, caller, true)),
  command("incr", 2, "write denyoom fast", ONE_KEY, (argv, caller) => increment(caller, at(argv, 1), 1)),
  command("decr", 2, "write denyoom fast", ONE_KEY, (argv, caller) => increment(caller, at(argv, 1), -1)),
  command("incrby", 3, "write denyoom fast", ONE_KEY, (argv, caller) =>
    increment(caller, at(argv, 1), integerArgument(at(argv, 2))),
  ),
  command("decrby", 3, "write denyoom fast", ONE_KEY, (argv, caller) => {
    const amount = integerArgument(at(argv, 2));
    const negated = multiply(amount, -1);
    return increment(caller, at(argv, 1), negated ?? fail("ERR decrement would overflow"));
  }),
  command("incrbyfloat", 3, "write denyoom fast", ONE_KEY, incrementByFloat),
  command("append", 3, "write denyoom fast", ONE_KEY, append),
  command(
    "strlen",
    2,
    "readonly fast",
    ONE_KEY,
    (argv, caller) => readAs(caller, at(argv, 1), "string")?.text.length ?? 0,
  ),
  command("getrange", 4, "readonly", ONE_KEY, getRange),
  command("substr", 4, "readonly", ONE_KEY, getRange),
  command("setrange", 4, "write denyoom", ONE_KEY, setRange),
];

function get(caller: Caller, key: string): string | null {
  return readAs(caller, key, "string")?.text ?? null;
}

/** SET and its relatives: `argv[1]` is the key. */
function set(caller: Caller, argv: readonly string[], text: string, options: SetOptions): Reply {
  const { db, server } = caller;
  const key = at(argv, 1);
  const expiresAt = options.expiry === undefined ? undefined : absoluteExpiry(argv, options.expiry, server.nowMs);
  const before = options.get === true ? get(caller, key) : undefined;
  const exists = db.write(key) !== undefined;
  if ((options.condition === "nx" && exists) || (options.condition === "xx" && !exists)) {
    return options.get === true ? before : null;
  }
  db.set(key, stringValue(text), options.keepTtl === true || expiresAt !== undefined);
  server.dirty += 1;
  db.notify("$", "set", key);
  if (expiresAt !== undefined) {
    db.expires.set(key, expiresAt);
    // Replicas get the result; the options are not passed on.
    if (options.expiry?.unit !== "pxat" || !server.isModern)
      server.rewritten = ["SET", key, text, "PXAT", String(expiresAt)];
    db.notify("g", "expire", key);
  }
  if (options.get !== true) return OK;
  if (expiresAt === undefined) {
    server.rewritten = argv.filter((argument, index) => index < 3 || argument.toLowerCase() !== "get");
  }
  return before;
}

function getSet(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const before = get(caller, key);
  caller.db.set(key, stringValue(at(argv, 2)));
  caller.db.notify("$", "set", key);
  caller.server.dirty += 1;
  caller.server.rewritten = ["SET", ...argv.slice(1)];
  return before;
}

function getDelete(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const before = get(caller, key);
  if (caller.db.delete(key)) {
    caller.server.rewritten = ["DEL", key];
    caller.db.notify("g", "del", key);
    changed(caller, key);
  }
  return before;
}

function getExpire(argv: readonly string[], caller: Caller): Reply {
  const { db, server } = caller;
  const options = parseSetOptions(argv, 2, "get");
  const key = at(argv, 1);
  const value = readAs(caller, key, "string");
  if (value === undefined) return null;
  const expiresAt = options.expiry === undefined ? undefined : absoluteExpiry(argv, options.expiry, server.nowMs);
  const isAbsolute = options.expiry?.unit === "pxat" || options.expiry?.unit === "exat";
  if (expiresAt !== undefined && isAbsolute && expiresAt <= server.nowMs && !server.loading && !server.isReplica) {
    db.delete(key);
    server.rewritten = [server.config.enabled("lazyfree-lazy-expire") ? "UNLINK" : "DEL", key];
    changed(caller, key);
    db.notify("g", "del", key);
  } else if (expiresAt !== undefined) {
    db.expires.set(key, expiresAt);
    server.rewritten = ["PEXPIREAT", key, String(expiresAt)];
    changed(caller, key);
    db.notify("g", "expire", key);
  } else if (options.persist === true && db.expires.delete(key)) {
    server.rewritten = ["PERSIST", key];
    changed(caller, key);
    db.notify("g", "persist", key);
  }
  return value.text;
}

function setMany(argv: readonly string[], caller: Caller, onlyIfNone: boolean): Reply {
  if (argv.length % 2 === 0) fail(`ERR wrong number of arguments for '${onlyIfNone ? "msetnx" : "mset"}' command`);
  const pairs = Array.from({ length: (argv.length - 1) / 2 }, (_, index) => 1 + 2 * index);
  if (onlyIfNone && pairs.some((index) => caller.db.write(at(argv, index)) !== undefined)) return 0;
  for (const index of pairs) {
    const key = at(argv, index);
    caller.db.set(key, stringValue(at(argv, index + 1)));
    caller.db.notify("$", "set", key);
  }
  caller.server.dirty += pairs.length;
  return onlyIfNone ? 1 : OK;
}

function increment(caller: Caller, key: string, amount: Integer): Reply {
  const value = writeAs(caller, key, "string");
  const before = value === undefined ? 0 : integerArgument(value.text);
  const after = add(before, amount);
  if (after === undefined) return fail("ERR increment or decrement would overflow");
  put(caller, key, stringValue(String(after)));
  caller.db.notify("$", "incrby", key);
  caller.server.dirty += 1;
  return after;
}

/** Stores a value under the key, new or not, and keeps its expiry. */
function put(caller: Caller, key: string, value: StringValue): void {
  const slot = caller.db.slots.get(key);
  if (slot === undefined) caller.db.add(key, value);
  else slot.value = value;
  caller.db.touched(key);
}

function incrementByFloat(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const value = writeAs(caller, key, "string");
  const notAFloat = "ERR value is not a valid float";
  const before = parseLongDouble(value?.text ?? "0") ?? fail(notAFloat);
  const amount = parseLongDouble(at(argv, 2)) ?? fail(notAFloat);
  const after = addLongDoubles(before, amount);
  if (isNotFinite(after)) return fail("ERR increment would produce NaN or Infinity");
  const text = formatLongDouble(after);
  put(caller, key, { type: "string", text, form: "computed" });
  caller.db.notify("$", "incrbyfloat", key);
  caller.server.dirty += 1;
  // Propagated as a SET: another machine's floats might differ.
  caller.server.rewritten = ["SET", key, text, "KEEPTTL"];
  return text;
}

function append(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const addition = at(argv, 2);
  const value = writeAs(caller, key, "string");
  if (value === undefined) {
    caller.db.add(key, stringValue(addition));
  } else {
    checkLength(caller, value.text.length + addition.length);
    value.text += addition;
    value.form = "edited";
  }
  changed(caller, key);
  caller.db.notify("$", "append", key);
  return (value?.text ?? addition).length;
}

function checkLength(caller: Caller, length: number): void {
  if (caller.session.role === "master" || length <= caller.server.config.number("proto-max-bulk-len")) return;
  fail("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
}

function getRange(argv: readonly string[], caller: Caller): Reply {
  let start = numberArgument(at(argv, 2));
  let end = numberArgument(at(argv, 3));
  const text = readAs(caller, at(argv, 1), "string")?.text ?? "";
  if (start < 0 && end < 0 && start > end) return "";
  if (start < 0) start = Math.max(0, text.length + start);
  if (end < 0) end = Math.max(0, text.length + end);
  return start > end ? "" : text.slice(start, end + 1);
}

function setRange(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const patch = at(argv, 3);
  const offset = numberArgument(at(argv, 2));
  if (offset < 0) return fail("ERR offset is out of range");
  const value = writeAs(caller, key, "string");
  if (patch === "") return value?.text.length ?? 0;
  checkLength(caller, offset + patch.length);
  const before = value?.text ?? "";
  const text = before.slice(0, offset).padEnd(offset, "\0") + patch + before.slice(offset + patch.length);
  if (value === undefined) caller.db.add(key, { type: "string", text, form: "edited" });
  else {
    value.text = text;
    value.form = "edited";
  }
  changed(caller, key);
  caller.db.notify("$", "setrange", key);
  return text.length;
}
