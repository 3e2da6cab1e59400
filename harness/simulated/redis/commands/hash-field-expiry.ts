import { at, changed, fail, integerArgument, readAs, writeAs } from "../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../command.ts";
import { deleteField, isFieldExpired } from "../keyspace/hash-fields.ts";
import type { HashValue } from "../keyspace/values.ts";
import type { Reply } from "../protocol/reply.ts";

/** The latest time at which a field can expire, in milliseconds of Unix time. */
const LATEST_MS = 70_368_744_177_663;
const NO_FIELD = -2;
const NO_EXPIRY = -1;

type Condition = "nx" | "xx" | "gt" | "lt";

/** Expiry of single fields of hashes, which came with 7.4. */
export const hashFieldExpiryCommands: readonly Command[] = [
  command("hexpire", -6, "write fast", ONE_KEY, (argv, caller) => expire(argv, caller, caller.server.nowMs, 1000)),
  command("hpexpire", -6, "write fast", ONE_KEY, (argv, caller) => expire(argv, caller, caller.server.nowMs, 1)),
  command("hexpireat", -6, "write fast", ONE_KEY, (argv, caller) => expire(argv, caller, 0, 1000)),
  command("hpexpireat", -6, "write fast", ONE_KEY, (argv, caller) => expire(argv, caller, 0, 1)),
  command("httl", -5, "readonly fast", ONE_KEY, (argv, caller) => remaining(argv, caller, caller.server.nowMs, 1000)),
  command("hpttl", -5, "readonly fast", ONE_KEY, (argv, caller) => remaining(argv, caller, caller.server.nowMs, 1)),
  command("hexpiretime", -5, "readonly fast", ONE_KEY, (argv, caller) => remaining(argv, caller, 0, 1000)),
  command("hpexpiretime", -5, "readonly fast", ONE_KEY, (argv, caller) => remaining(argv, caller, 0, 1)),
  command("hpersist", -5, "write fast", ONE_KEY, persist),
];

/** The fields behind `FIELDS <count>`, which stands at `index`. */
export function fieldsArgument(argv: readonly string[], index: number, problem: string): readonly string[] {
  if (argv[index]?.toLowerCase() !== "fields") {
    return fail("ERR Mandatory argument FIELDS is missing or not at the right position");
  }
  const message = `ERR ${problem}`;
  const count = integerArgument(at(argv, index + 1), message);
  if (count < 1) return fail(message);
  const fields = argv.slice(index + 2);
  if (count !== fields.length) return fail("ERR The `numfields` parameter must match the number of arguments");
  return fields;
}

/** An expiry time in milliseconds of Unix time, from one that counts from `baseMs` in units of `unitMs`. */
export function expiryTime(text: string, baseMs: number, unitMs: number, name: string): number {
  const value = integerArgument(text);
  if (value < 0) return fail("ERR invalid expire time, must be >= 0");
  if (value > Math.floor(LATEST_MS / unitMs) || Number(value) * unitMs > LATEST_MS - baseMs) {
    return fail(`ERR invalid expire time in '${name}' command`);
  }
  return Number(value) * unitMs + baseMs;
}

/** A hash gets another layout for fields that expire, and keeps it. */
export function prepareForExpiry(caller: Caller, hash: HashValue): void {
  if (hash.encoding === "listpack") hash.encoding = "listpackex";
  caller.db.mayHaveExpiringFields = true;
}

/** True when a field with this expiry is deleted at once. */
export function isOverAlready({ server }: Caller, whenMs: number): boolean {
  return whenMs <= server.nowMs && !server.loading && !server.isReplica;
}

function expire(argv: readonly string[], caller: Caller, baseMs: number, unitMs: number): Reply {
  const { server, db } = caller;
  const [name, key] = [at(argv, 0).toLowerCase(), at(argv, 1)];
  const hash = writeAs(caller, key, "hash");
  const whenMs = expiryTime(at(argv, 2), baseMs, unitMs, name);
  const condition = conditionOf(at(argv, 3));
  const fieldsAt = condition === undefined ? 3 : 4;
  const fields = fieldsArgument(argv, fieldsAt, "Parameter `numFields` should be greater than 0");
  if (hash === undefined) return fields.map(() => NO_FIELD);
  prepareForExpiry(caller, hash);
  const updated: string[] = [];
  let deleted = 0;
  const replies = fields.map((field) => {
    if (!hash.fields.has(field)) return NO_FIELD;
    if (!meets(condition, hash.expires.get(field), whenMs)) return 0;
    if (isOverAlready(caller, whenMs)) {
      deleteField(hash, field);
      server.effects.add(db.id, ["HDEL", key, field]);
      deleted += 1;
      return 2;
    }
    hash.expires.set(field, whenMs);
    updated.push(field);
    return 1;
  });
  if (updated.length + deleted > 0) tellOfExpiry(caller, key, hash, updated.length, deleted);
  const middle = condition === undefined ? [] : [at(argv, 3)];
  server.rewritten =
    updated.length === 0
      ? []
      : [
          name === "hpexpireat" ? at(argv, 0) : "HPEXPIREAT",
          key,
          name === "hpexpireat" ? at(argv, 2) : String(whenMs),
          ...middle,
          at(argv, fieldsAt),
          updated.length === fields.length ? at(argv, fieldsAt + 1) : String(updated.length),
          ...updated,
        ];
  return replies;
}

/** Counts and publishes the changes. */
function tellOfExpiry(caller: Caller, key: string, hash: HashValue, updated: number, deleted: number): void {
  changed(caller, key, updated + deleted);
  if (hash.fields.size > 0) {
    caller.db.notify("h", deleted > 0 ? "hdel" : "hexpire", key);
    return;
  }
  caller.db.delete(key);
  caller.db.notify("h", "hdel", key);
  caller.db.notify("g", "del", key);
}

function conditionOf(text: string): Condition | undefined {
  const lower = text.toLowerCase();
  return lower === "nx" || lower === "xx" || lower === "gt" || lower === "lt" ? lower : undefined;
}

/** A field without an expiry counts as one that never ends. */
function meets(condition: Condition | undefined, before: number | undefined, whenMs: number): boolean {
  switch (condition) {
    case "nx":
      return before === undefined;
    case "xx":
      return before !== undefined;
    case "gt":
      return before !== undefined && whenMs > before;
    case "lt":
      return before === undefined || whenMs < before;
    default:
      return true;
  }
}

function remaining(argv: readonly string[], caller: Caller, baseMs: number, unitMs: number): Reply {
  const hash = readAs(caller, at(argv, 1), "hash");
  const fields = fieldsArgument(argv, 2, "Number of fields must be a positive integer");
  return fields.map((field) => {
    if (hash?.fields.has(field) !== true) return NO_FIELD;
    const when = hash.expires.get(field);
    if (when === undefined) return NO_EXPIRY;
    // A small hash counts a field's last millisecond as expired here, and only here.
    const isOver = when < caller.server.nowMs || (hash.encoding === "listpackex" && when === caller.server.nowMs);
    if (isOver) return NO_FIELD;
    return unitMs === 1 ? when - baseMs : Math.floor((when + 999 - baseMs) / 1000);
  });
}

function persist(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const hash = writeAs(caller, key, "hash");
  const fields = fieldsArgument(argv, 2, "Number of fields must be a positive integer");
  let persisted = 0;
  const replies = fields.map((field) => {
    if (hash?.fields.has(field) !== true) return NO_FIELD;
    if (!hash.expires.has(field)) return NO_EXPIRY;
    if (isFieldExpired(caller.server, hash, field)) return NO_FIELD;
    hash.expires.delete(field);
    persisted += 1;
    return 1;
  });
  if (persisted > 0) {
    caller.db.notify("h", "hpersist", key);
    changed(caller, key);
  }
  return replies;
}
