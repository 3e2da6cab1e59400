import { at, changed, fail, smallArgument, syntaxError } from "../arguments.ts";
import { ALL_KEYS, command, container, NO_KEYS, ONE_KEY, TWO_KEYS, type Caller, type Command } from "../command.ts";
import type { Database } from "../keyspace/database.ts";
import { encodingOf } from "../keyspace/encodings.ts";
import { globMatchesKey } from "../glob.ts";
import { NO_SUCH_KEY, OK, StatusReply, SYNTAX_ERROR, ErrorReply, type Reply } from "../protocol/reply.ts";
import { cloneValue, type StoredValue } from "../keyspace/values.ts";
import { scanKeys } from "./scan.ts";

const SAME_OBJECT = new ErrorReply("ERR source and destination objects are the same");

/** Commands on keys of any type, and on whole databases. */
export const keyCommands: readonly Command[] = [
  command("del", -2, "write", ALL_KEYS, (argv, caller) => remove(argv, caller)),
  command("unlink", -2, "write fast", ALL_KEYS, (argv, caller) => remove(argv, caller)),
  command("exists", -2, "readonly fast", ALL_KEYS, (argv, caller) =>
    argv.slice(1).reduce((count, key) => count + (caller.db.readWithoutTouch(key) === undefined ? 0 : 1), 0),
  ),
  command("touch", -2, "readonly fast", ALL_KEYS, (argv, caller) => {
    // TOUCH counts as use even on a connection that asked for its accesses not to be counted.
    caller.server.touches = true;
    return argv.slice(1).reduce((count, key) => count + (caller.db.read(key) === undefined ? 0 : 1), 0);
  }),
  command(
    "type",
    2,
    "readonly fast",
    ONE_KEY,
    (argv, caller) => new StatusReply(caller.db.readWithoutTouch(at(argv, 1))?.type ?? "none"),
  ),
  command("keys", 2, "readonly", NO_KEYS, (argv, caller) =>
    [...caller.db.slots.keys()].filter((key) => globMatchesKey(at(argv, 1), key) && !caller.db.isExpired(key)),
  ),
  command("scan", -2, "readonly touches_arbitrary_keys", NO_KEYS, scanKeys),
  command("randomkey", 1, "readonly touches_arbitrary_keys", NO_KEYS, randomKey),
  command("rename", 3, "write", TWO_KEYS, (argv, caller) => rename(argv, caller, false)),
  command("renamenx", 3, "write fast", TWO_KEYS, (argv, caller) => rename(argv, caller, true)),
  command("copy", -3, "write denyoom", TWO_KEYS, copy),
  command("move", 3, "write fast", ONE_KEY, move),
  command("dbsize", 1, "readonly fast", NO_KEYS, (_argv, caller) => caller.db.slots.size),
  command("flushdb", -1, "write", NO_KEYS, (argv, caller) => flush(argv, caller, [caller.db])),
  command("flushall", -1, "write", NO_KEYS, (argv, caller) => flush(argv, caller, caller.server.databases)),
  command("swapdb", 3, "write fast", NO_KEYS, swap),
  container("object", "", [
    command("encoding", 3, "readonly", [2, 2, 1], (argv, caller) => inspect(argv, caller, "encoding")),
    command("refcount", 3, "readonly", [2, 2, 1], (argv, caller) => inspect(argv, caller, "refcount")),
    command("idletime", 3, "readonly", [2, 2, 1], (argv, caller) => inspect(argv, caller, "idletime")),
    command("freq", 3, "readonly", [2, 2, 1], (argv, caller) => inspect(argv, caller, "freq")),
  ]),
];

function remove(argv: readonly string[], caller: Caller): Reply {
  const { db } = caller;
  let count = 0;
  for (const key of argv.slice(1)) {
    if (db.expireIfNeeded(key, false) === "deleted" || !db.delete(key)) continue;
    changed(caller, key);
    db.notify("g", "del", key);
    count += 1;
  }
  return count;
}

function randomKey(_argv: readonly string[], caller: Caller): Reply {
  const { db, server } = caller;
  const isAllVolatile = db.slots.size === db.expires.size;
  for (let tries = 1; db.slots.size > 0; tries += 1) {
    const keys = [...db.slots.keys()];
    const key = keys[server.random.integer(0, keys.length - 1)] ?? null;
    // A replica cannot delete expired keys: after 100 tries it returns one nevertheless.
    if (key === null || (isAllVolatile && server.isReplica && tries >= 100)) return key;
    if (db.expireIfNeeded(key, false) === "valid") return key;
    if (server.expiryPaused) return null;
  }
  return null;
}

function rename(argv: readonly string[], caller: Caller, onlyIfNone: boolean): Reply {
  const { db } = caller;
  const from = at(argv, 1);
  const to = at(argv, 2);
  const value = db.write(from);
  if (value === undefined) return NO_SUCH_KEY;
  if (from === to) return onlyIfNone ? 0 : OK;
  const expiresAt = db.expires.get(from);
  if (db.write(to) !== undefined) {
    if (onlyIfNone) return 0;
    db.delete(to);
  }
  db.add(to, value);
  if (expiresAt !== undefined) db.expires.set(to, expiresAt);
  db.delete(from);
  db.touched(from);
  changed(caller, to);
  db.notify("g", "rename_from", from);
  db.notify("g", "rename_to", to);
  return onlyIfNone ? 1 : OK;
}

function databaseArgument(caller: Caller, text: string): Database {
  const database = caller.server.databases[smallArgument(text)];
  return database ?? fail("ERR DB index is out of range");
}

function copy(argv: readonly string[], caller: Caller): Reply {
  const from = at(argv, 1);
  const to = at(argv, 2);
  let target = caller.db;
  let replace = false;
  for (let index = 3; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    if (option === "replace") replace = true;
    else if (option === "db" && index + 1 < argv.length) {
      index += 1;
      target = databaseArgument(caller, at(argv, index));
    } else throw syntaxError;
  }
  if (target === caller.db && from === to) return SAME_OBJECT;
  const value = caller.db.read(from);
  if (value === undefined) return 0;
  const expiresAt = caller.db.expires.get(from);
  if (target.write(to) !== undefined) {
    if (!replace) return 0;
    target.delete(to);
  }
  target.add(to, cloneValue(value));
  if (expiresAt !== undefined) target.expires.set(to, expiresAt);
  target.touched(to);
  target.notify("g", "copy_to", to);
  caller.server.dirty += 1;
  return 1;
}

function move(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const { db } = caller;
  const target = databaseArgument(caller, at(argv, 2));
  if (target === db) return SAME_OBJECT;
  const value = db.write(key);
  if (value === undefined) return 0;
  const expiresAt = db.expires.get(key);
  if (target.write(key) !== undefined) return 0;
  target.add(key, value);
  if (expiresAt !== undefined) target.expires.set(key, expiresAt);
  db.delete(key);
  db.touched(key);
  target.touched(key);
  db.notify("g", "move_from", key);
  target.notify("g", "move_to", key);
  caller.server.dirty += 1;
  return 1;
}

function flush(argv: readonly string[], caller: Caller, databases: readonly Database[]): Reply {
  const mode = argv[1]?.toLowerCase();
  if (argv.length > 2 || (mode !== undefined && mode !== "sync" && mode !== "async")) return SYNTAX_ERROR;
  for (const database of databases) caller.server.dirty += database.clear();
  caller.server.tracked.flushed(caller.server.sessions.values());
  // Propagated even when there was nothing to delete: a follower may have the key.
  caller.server.forced = "everywhere";
  return OK;
}

function swap(argv: readonly string[], caller: Caller): Reply {
  const first = smallArgument(at(argv, 1), "ERR invalid first DB index");
  const second = smallArgument(at(argv, 2), "ERR invalid second DB index");
  const one = caller.server.databases[first];
  const other = caller.server.databases[second];
  if (one === undefined || other === undefined) return fail("ERR DB index is out of range");
  if (one !== other) {
    one.swap(other);
    for (const each of [one, other]) caller.server.blocked.signalAll(each);
  }
  caller.server.dirty += 1;
  return OK;
}

function inspect(argv: readonly string[], caller: Caller, what: "encoding" | "refcount" | "idletime" | "freq"): Reply {
  const { db, server } = caller;
  const key = at(argv, 2);
  if (db.expireIfNeeded(key, false) !== "valid") return null;
  const slot = db.slots.get(key);
  if (slot === undefined) return null;
  const usesFrequency = server.config.text("maxmemory-policy").endsWith("lfu");
  switch (what) {
    case "encoding":
      return encodingOf(slot.value, server);
    case "refcount":
      return isShared(slot.value, server) ? SHARED_REFERENCES : 1;
    case "freq":
      if (usesFrequency) return slot.uses;
      return fail(
        "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.",
      );
    case "idletime":
      if (!usesFrequency) return Math.floor((server.nowMs - slot.usedAtMs) / 1000);
      return fail(
        "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.",
      );
  }
}

/** The reply of OBJECT REFCOUNT for an integer from 0 to 9999, which all keys share. */
const SHARED_REFERENCES = 2_147_483_647;

/** With `maxmemory` and a policy that needs each key's own clock, nothing is shared. */
function isShared(value: StoredValue, { config }: Caller["server"]): boolean {
  const policy = config.text("maxmemory-policy");
  if (config.maxMemory > 0 && (policy.endsWith("lru") || policy.endsWith("lfu"))) return false;
  return value.type === "string" && value.form === "set" && /^(?:0|[1-9]\d{0,3})$/.test(value.text);
}
