import {
  at,
  changed,
  countArgument,
  drawCountArgument,
  fail,
  numberArgument,
  readAs,
  syntaxError,
  writeAs,
} from "../arguments.ts";
import { ALL_KEYS, command, NO_KEYS, ONE_KEY, TWO_KEYS, type Caller, type Command } from "../command.ts";
import { parseInteger } from "../numbers/integers.ts";
import { SetReply, type Reply } from "../protocol/reply.ts";
import type { SetValue } from "../keyspace/values.ts";
import { drawMany } from "./draw.ts";
import { dropIfEmpty } from "./hashes.ts";
import { scanCollection } from "./scan.ts";

/** Commands on sets. */
export const setCommands: readonly Command[] = [
  command("sadd", -3, "write denyoom fast", ONE_KEY, addMembers),
  command("srem", -3, "write fast", ONE_KEY, removeMembers),
  command("scard", 2, "readonly fast", ONE_KEY, (argv, caller) => setOf(caller, at(argv, 1))?.members.size ?? 0),
  command("sismember", 3, "readonly fast", ONE_KEY, (argv, caller) =>
    setOf(caller, at(argv, 1))?.members.has(at(argv, 2)) === true ? 1 : 0,
  ),
  command("smismember", -3, "readonly fast", ONE_KEY, (argv, caller) => {
    const set = setOf(caller, at(argv, 1));
    return argv.slice(2).map((member) => (set?.members.has(member) === true ? 1 : 0));
  }),
  command(
    "smembers",
    2,
    "readonly",
    ONE_KEY,
    (argv, caller) => new SetReply(membersInOrder(setOf(caller, at(argv, 1)))),
  ),
  command("smove", 4, "write fast", TWO_KEYS, move),
  command("spop", -2, "write fast", ONE_KEY, pop),
  command("srandmember", -2, "readonly", ONE_KEY, randomMembers),
  command("sscan", -3, "readonly", ONE_KEY, (argv, caller) =>
    scanCollection(argv, caller, "set", (key) => membersInOrder(readAs(caller, key, "set")).map((member) => [member])),
  ),
  command("sinter", -2, "readonly", ALL_KEYS, (argv, caller) => new SetReply(intersection(caller, argv.slice(1)))),
  command("sinterstore", -3, "write denyoom", ALL_KEYS, (argv, caller) =>
    store(argv, caller, "sinterstore", intersection),
  ),
  command("sintercard", -3, "readonly movablekeys", NO_KEYS, intersectionSize),
  command("sunion", -2, "readonly", ALL_KEYS, (argv, caller) => new SetReply(union(caller, argv.slice(1)))),
  command("sunionstore", -3, "write denyoom", ALL_KEYS, (argv, caller) => store(argv, caller, "sunionstore", union)),
  command("sdiff", -2, "readonly", ALL_KEYS, (argv, caller) => new SetReply(difference(caller, argv.slice(1)))),
  command("sdiffstore", -3, "write denyoom", ALL_KEYS, (argv, caller) => store(argv, caller, "sdiffstore", difference)),
];

function setOf(caller: Caller, key: string): SetValue | undefined {
  return readAs(caller, key, "set");
}

/** Members in the order of the encoding. */
function membersInOrder(set: SetValue | undefined): string[] {
  const members = [...(set?.members ?? [])];
  return set?.encoding === "intset" ? sortNumerically(members) : members;
}

function sortNumerically(members: string[]): string[] {
  return members.sort((a, b) => {
    const [x, y] = [BigInt(a), BigInt(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  });
}

/** A new set in the encoding that its first member suggests. */
function newSet(caller: Caller, first: string, expected = 1): SetValue {
  const { config } = caller.server;
  let encoding: SetValue["encoding"] = "hashtable";
  if (parseInteger(first) !== undefined && expected <= config.number("set-max-intset-entries")) encoding = "intset";
  else if (caller.server.isModern && expected <= config.number("set-max-listpack-entries")) encoding = "listpack";
  return { type: "set", members: new Set(), encoding };
}

/** Adds a member, and changes the encoding when the present one cannot hold it. False when it was already a member. */
function addMember(caller: Caller, set: SetValue, member: string): boolean {
  if (set.members.has(member)) return false;
  const { config } = caller.server;
  const isInteger = parseInteger(member) !== undefined;
  if (set.encoding === "intset" && (!isInteger || set.members.size >= config.number("set-max-intset-entries"))) {
    const sorted = membersInOrder(set);
    set.members.clear();
    for (const each of sorted) set.members.add(each);
    set.encoding = listpackFits(caller, set, member) ? "listpack" : "hashtable";
  } else if (set.encoding === "listpack" && !listpackFits(caller, set, member)) set.encoding = "hashtable";
  set.members.add(member);
  return true;
}

function listpackFits(caller: Caller, set: SetValue, member: string): boolean {
  const { config, isModern } = caller.server;
  return (
    isModern &&
    set.members.size < config.number("set-max-listpack-entries") &&
    member.length <= config.number("set-max-listpack-value")
  );
}

function addMembers(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  let set = writeAs(caller, key, "set");
  if (set === undefined) {
    set = newSet(caller, at(argv, 2), argv.length - 2);
    caller.db.add(key, set);
  }
  const target = set;
  const added = argv.slice(2).filter((member) => addMember(caller, target, member)).length;
  if (added > 0) {
    changed(caller, key, 0);
    caller.db.notify("s", "sadd", key);
  }
  caller.server.dirty += added;
  return added;
}

function removeMembers(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  const set = writeAs(caller, key, "set");
  if (set === undefined) return 0;
  const removed = argv.slice(2).filter((member) => set.members.delete(member)).length;
  if (removed === 0) return 0;
  changed(caller, key, removed);
  caller.db.notify("s", "srem", key);
  dropIfEmpty(caller, key, set.members.size);
  return removed;
}

function move(argv: readonly string[], caller: Caller): Reply {
  const from = at(argv, 1);
  const to = at(argv, 2);
  const member = at(argv, 3);
  const sourceValue = caller.db.write(from);
  const targetValue = caller.db.write(to);
  if (sourceValue === undefined) return 0;
  const source = writeAs(caller, from, "set");
  let target = targetValue === undefined ? undefined : writeAs(caller, to, "set");
  if (source === undefined) return 0;
  if (source === target) return source.members.has(member) ? 1 : 0;
  if (!source.members.delete(member)) return 0;
  caller.db.notify("s", "srem", from);
  dropIfEmpty(caller, from, source.members.size);
  if (target === undefined) {
    target = newSet(caller, member);
    caller.db.add(to, target);
  }
  caller.db.touched(from);
  caller.server.dirty += 1;
  if (addMember(caller, target, member)) {
    changed(caller, to);
    caller.db.notify("s", "sadd", to);
  }
  return 1;
}

function pop(argv: readonly string[], caller: Caller): Reply {
  if (argv.length > 3) throw syntaxError;
  const key = at(argv, 1);
  const { server, db } = caller;
  const count = argv.length === 3 ? countArgument(at(argv, 2)) : undefined;
  const set = writeAs(caller, key, "set");
  if (set === undefined) return count === undefined ? null : new SetReply([]);
  if (count === 0) return new SetReply([]);
  const drawn = drawMany(server.random, membersInOrder(set), count ?? 1);
  for (const member of drawn) set.members.delete(member);
  db.notify("s", "spop", key);
  const isEmpty = set.members.size === 0;
  // Another machine would draw other members, so replicas are told which ones were drawn.
  if (isEmpty && count !== undefined) server.rewritten = ["DEL", key];
  else server.rewritten = ["SREM", key, ...drawn];
  if (isEmpty) {
    db.delete(key);
    db.notify("g", "del", key);
  }
  changed(caller, key, drawn.length);
  return count === undefined ? (drawn[0] ?? null) : new SetReply(drawn);
}

function randomMembers(argv: readonly string[], caller: Caller): Reply {
  if (argv.length > 3) throw syntaxError;
  if (argv.length === 3) {
    const count = drawCountArgument(at(argv, 2));
    return [...drawMany(caller.server.random, membersInOrder(setOf(caller, at(argv, 1))), count)];
  }
  const members = membersInOrder(setOf(caller, at(argv, 1)));
  return members[caller.server.random.integer(0, Math.max(0, members.length - 1))] ?? null;
}

type Combine = (caller: Caller, keys: readonly string[]) => string[];

function intersection(caller: Caller, keys: readonly string[]): string[] {
  const sets = keys.map((key) => setOf(caller, key));
  if (sets.some((set) => set === undefined)) return [];
  const present = sets.filter((set) => set !== undefined).sort((a, b) => a.members.size - b.members.size);
  const [smallest, ...others] = present;
  return membersInOrder(smallest).filter((member) => others.every((set) => set.members.has(member)));
}

function union(caller: Caller, keys: readonly string[]): string[] {
  const sets = keys.map((key) => setOf(caller, key));
  const all = new Set(sets.flatMap((set) => membersInOrder(set)));
  return resultOrder(caller, sets, [...all]);
}

/** The result is collected in a separate set: in numeric order as long as there are only integers. */
function resultOrder(caller: Caller, sets: readonly (SetValue | undefined)[], members: string[]): string[] {
  const first = sets.find((set) => set !== undefined);
  if (first === undefined) return members;
  const result: SetValue = { type: "set", members: new Set(), encoding: "intset" };
  for (const member of members) addMember(caller, result, member);
  return membersInOrder(result);
}

function difference(caller: Caller, keys: readonly string[]): string[] {
  const sets = keys.map((key) => setOf(caller, key));
  const [first, ...others] = sets;
  if (first === undefined) return [];
  const left = membersInOrder(first).filter((member) => !others.some((set) => set?.members.has(member) === true));
  return resultOrder(caller, [first], left);
}

function store(argv: readonly string[], caller: Caller, event: string, combine: Combine): Reply {
  const target = at(argv, 1);
  const members = combine(caller, argv.slice(2));
  if (members.length === 0) {
    // Deleted without a check of its expiry.
    if (caller.db.delete(target)) {
      changed(caller, target);
      caller.db.notify("g", "del", target);
    }
    return 0;
  }
  const result: SetValue = { type: "set", members: new Set(), encoding: "intset" };
  for (const member of members) addMember(caller, result, member);
  caller.db.set(target, result);
  caller.db.notify("s", event, target);
  caller.server.dirty += 1;
  return members.length;
}

function intersectionSize(argv: readonly string[], caller: Caller): Reply {
  const count = numberArgument(at(argv, 1), "ERR numkeys should be greater than 0");
  if (count <= 0) return fail("ERR numkeys should be greater than 0");
  if (count > argv.length - 2) return fail("ERR Number of keys can't be greater than number of args");
  let limit = 0;
  for (let index = 2 + count; index < argv.length; index += 2) {
    if (at(argv, index).toLowerCase() !== "limit" || index + 1 >= argv.length) throw syntaxError;
    limit = countArgument(at(argv, index + 1), "ERR LIMIT can't be negative");
  }
  const size = intersection(caller, argv.slice(2, 2 + count)).length;
  return limit === 0 ? size : Math.min(size, limit);
}
