import { at, changed, fail, integerArgument, writeAs } from "../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../command.ts";
import { deleteField, lookUpField } from "../keyspace/hash-fields.ts";
import type { HashValue } from "../keyspace/values.ts";
import type { Reply } from "../protocol/reply.ts";
import { expiryTime, fieldsArgument, isOverAlready, prepareForExpiry } from "./hash-field-expiry.ts";
import { hashToWrite, put } from "./hashes.ts";

const FIELD_COUNT = "Number of fields must be a positive integer";

/** Commands that read or write fields and their expiry together, which came with 8.0. */
export const hashFieldValueCommands: readonly Command[] = [
  command("hgetdel", -5, "write fast", ONE_KEY, getAndDelete),
  command("hgetex", -5, "write fast", ONE_KEY, getAndExpire),
  command("hsetex", -6, "write denyoom fast", ONE_KEY, setAndExpire),
];

/** What a command does to the expiry of its fields. */
type Wanted = "persist" | "keep" | { readonly whenMs: number } | undefined;

const UNITS: Readonly<Record<string, { readonly isAbsolute: boolean; readonly unitMs: number }>> = {
  ex: { isAbsolute: false, unitMs: 1000 },
  px: { isAbsolute: false, unitMs: 1 },
  exat: { isAbsolute: true, unitMs: 1000 },
  pxat: { isAbsolute: true, unitMs: 1 },
};

function getAndDelete(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const hash = writeAs(caller, key, "hash");
  const fields = fieldsArgument(argv, 2, FIELD_COUNT);
  if (hash === undefined) return fields.map(() => null);
  const found = readEach(caller, key, hash, fields, (field) => deleteField(hash, field));
  tell(caller, key, hash, found, "hdel");
  caller.server.rewritten = found.used.length === 0 ? [] : ["HDEL", key, ...fields];
  return found.replies;
}

interface Found {
  readonly replies: readonly Reply[];
  /** The fields that were there. */
  readonly used: readonly string[];
  readonly expired: number;
}

function readEach(
  caller: Caller,
  key: string,
  hash: HashValue,
  fields: readonly string[],
  use: (field: string) => void,
): Found {
  const used: string[] = [];
  let expired = 0;
  const replies = fields.map((field) => {
    const found = lookUpField(caller, key, hash, field, { silent: true, keepsHash: true });
    if (found.state === "expired") expired += 1;
    if (found.state !== "found") return null;
    use(field);
    used.push(field);
    return found.text;
  });
  return { replies, used, expired };
}

/** Counts and publishes the changes of existing fields, and of those that had expired. */
function tell(caller: Caller, key: string, hash: HashValue, { used, expired }: Found, event: string | undefined): void {
  const isChange = used.length > 0 && event !== undefined;
  if (expired === 0 && !isChange) return;
  if (isChange) changed(caller, key, used.length);
  else caller.db.touched(key);
  if (expired > 0) caller.db.notify("h", "hexpired", key);
  if (isChange) caller.db.notify("h", event, key);
  if (hash.fields.size > 0) return;
  caller.db.delete(key);
  caller.db.notify("g", "del", key);
}

/** EX, PX, EXAT or PXAT with its time, at `index`; undefined for another word. */
function timeOption(argv: readonly string[], index: number, caller: Caller): Wanted {
  const unit = UNITS[at(argv, index).toLowerCase()];
  if (unit === undefined) return undefined;
  const base = unit.isAbsolute ? 0 : caller.server.nowMs;
  const whenMs = expiryTime(at(argv, index + 1), base, unit.unitMs, at(argv, 0).toLowerCase());
  return { whenMs };
}

function getAndExpire(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const { server } = caller;
  const hash = writeAs(caller, key, "hash");
  const first = at(argv, 2).toLowerCase();
  const wanted: Wanted = first === "persist" ? "persist" : timeOption(argv, 2, caller);
  // So answers Debian's 8.0.2-3+deb13u3 a time without room for FIELDS and a count.
  if (typeof wanted === "object" && argv.length < 6) return fail("ERR wrong number of arguments for 'hgetex' command");
  const fields = fieldsArgument(argv, wanted === undefined ? 2 : wanted === "persist" ? 3 : 4, FIELD_COUNT);
  if (hash === undefined) return fields.map(() => null);
  if (wanted !== undefined) prepareForExpiry(caller, hash);
  const isOver = typeof wanted === "object" && isOverAlready(caller, wanted.whenMs);
  const affected: string[] = [];
  const found = readEach(caller, key, hash, fields, (field) => {
    if (wanted === undefined || (wanted === "persist" && !hash.expires.delete(field))) return;
    if (isOver) {
      deleteField(hash, field);
      server.effects.add(caller.db.id, ["HDEL", key, field]);
    } else if (typeof wanted === "object") hash.expires.set(field, wanted.whenMs);
    affected.push(field);
  });
  const event = isOver ? "hdel" : wanted === "persist" ? "hpersist" : "hexpire";
  tell(caller, key, hash, { ...found, used: affected }, event);
  server.rewritten =
    affected.length === 0 || isOver
      ? []
      : typeof wanted === "object"
        ? ["HPEXPIREAT", key, String(wanted.whenMs), ...argv.slice(4)]
        : ["HPERSIST", key, ...argv.slice(3)];
  return found.replies;
}

interface SetOptions {
  readonly condition: "fnx" | "fxx" | undefined;
  readonly wanted: Wanted;
  readonly pairs: readonly (readonly [field: string, text: string])[];
}

function parseSet(argv: readonly string[], caller: Caller): SetOptions {
  let condition: SetOptions["condition"];
  let wanted: Wanted;
  for (let index = 2; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    if (option === "fields") return { condition, wanted, pairs: pairsArgument(argv, index) };
    if (option === "fnx" || option === "fxx") {
      if (condition !== undefined) fail("ERR Only one of FXX or FNX arguments can be specified");
      condition = option;
    } else if (option === "keepttl" || option in UNITS) {
      if (wanted !== undefined) fail("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
      wanted = option === "keepttl" ? "keep" : timeOption(argv, index, caller);
      if (option !== "keepttl") index += 1;
    } else fail(`ERR unknown argument: ${at(argv, index)}`);
  }
  return fail("ERR missing FIELDS argument");
}

function pairsArgument(argv: readonly string[], index: number): SetOptions["pairs"] {
  const wrongCount = `ERR wrong number of arguments for '${at(argv, 0).toLowerCase()}' command`;
  if (index + 3 >= argv.length) return fail(wrongCount);
  const message = "ERR invalid number of fields";
  const count = integerArgument(at(argv, index + 1), message);
  if (count < 1 || count > 2_147_483_647) return fail(message);
  const rest = argv.slice(index + 2);
  if (rest.length !== Number(count) * 2) return fail(wrongCount);
  return Array.from({ length: Number(count) }, (_, pair) => [at(rest, pair * 2), at(rest, pair * 2 + 1)] as const);
}

function setAndExpire(argv: readonly string[], caller: Caller): Reply {
  const { server, db } = caller;
  const key = at(argv, 1);
  const { condition, wanted, pairs } = parseSet(argv, caller);
  const before = writeAs(caller, key, "hash");
  if (condition !== undefined) {
    const isThere = pairs.map(
      ([field]) => before !== undefined && lookUpField(caller, key, before, field).state === "found",
    );
    if (isThere.some((each) => each !== (condition === "fxx"))) return 0;
  }
  const hash = hashToWrite(caller, key);
  const longest = server.config.number("hash-max-listpack-value");
  if (pairs.flat().some((argument) => argument.length > longest)) hash.encoding = "hashtable";
  if (typeof wanted === "object") prepareForExpiry(caller, hash);
  const isOver = typeof wanted === "object" && isOverAlready(caller, wanted.whenMs);
  for (const [field, text] of pairs) {
    put(caller, hash, field, text, wanted === "keep");
    if (isOver) {
      deleteField(hash, field);
      server.effects.add(db.id, ["HDEL", key, field]);
    } else if (typeof wanted === "object") hash.expires.set(field, wanted.whenMs);
  }
  changed(caller, key, pairs.length);
  db.notify("h", "hset", key);
  if (typeof wanted === "object") db.notify("h", isOver ? "hdel" : "hexpire", key);
  if (hash.fields.size === 0) {
    db.delete(key);
    db.notify("g", "del", key);
  }
  server.rewritten = isOver ? [] : rewrittenSet(argv, wanted);
  return 1;
}

/** Replicas get a relative time as an absolute one. */
function rewrittenSet(argv: readonly string[], wanted: Wanted): readonly string[] {
  if (typeof wanted !== "object") return argv;
  const index = argv.findIndex((argument, position) => position > 1 && argument.toLowerCase() in UNITS);
  const name = at(argv, index);
  return [
    ...argv.slice(0, index),
    name.toLowerCase() === "pxat" ? name : "PXAT",
    String(wanted.whenMs),
    ...argv.slice(index + 2),
  ];
}
