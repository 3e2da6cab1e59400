import { at, changed, fail, integerArgument } from "../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../command.ts";
import { add, INT64_MAX, INT64_MIN, multiply, subtract, type Integer } from "../numbers/integers.ts";
import { errorReply, ReplyError, type Reply } from "../protocol/reply.ts";
import { cString } from "../execute.ts";

/** Commands on the remaining time of keys. */
export const expiryCommands: readonly Command[] = [
  command("expire", -3, "write fast", ONE_KEY, (argv, caller) =>
    expire(argv, caller, { seconds: true, relative: true }),
  ),
  command("pexpire", -3, "write fast", ONE_KEY, (argv, caller) =>
    expire(argv, caller, { seconds: false, relative: true }),
  ),
  command("expireat", -3, "write fast", ONE_KEY, (argv, caller) =>
    expire(argv, caller, { seconds: true, relative: false }),
  ),
  command("pexpireat", -3, "write fast", ONE_KEY, (argv, caller) =>
    expire(argv, caller, { seconds: false, relative: false }),
  ),
  command("ttl", 2, "readonly fast", ONE_KEY, (argv, caller) => left(argv, caller, { seconds: true, absolute: false })),
  command("pttl", 2, "readonly fast", ONE_KEY, (argv, caller) =>
    left(argv, caller, { seconds: false, absolute: false }),
  ),
  command("expiretime", 2, "readonly fast", ONE_KEY, (argv, caller) =>
    left(argv, caller, { seconds: true, absolute: true }),
  ),
  command("pexpiretime", 2, "readonly fast", ONE_KEY, (argv, caller) =>
    left(argv, caller, { seconds: false, absolute: true }),
  ),
  command("persist", 2, "write fast", ONE_KEY, persist),
];

function expire(argv: readonly string[], caller: Caller, form: { seconds: boolean; relative: boolean }): Reply {
  const { db, server } = caller;
  const key = at(argv, 1);
  const conditions = parseConditions(argv);
  const when = expiryTime(argv, caller, form);
  if (db.write(key) === undefined) return 0;
  if (!conditions.every((condition) => allows(condition, db.expires.get(key), when))) return 0;
  if (when <= server.nowMs && !server.loading && !server.isReplica) {
    db.delete(key);
    server.rewritten = [server.config.enabled("lazyfree-lazy-expire") ? "UNLINK" : "DEL", key];
    changed(caller, key);
    db.notify("g", "del", key);
    return 1;
  }
  db.expires.set(key, when);
  if (form.seconds || form.relative) server.rewritten = ["PEXPIREAT", key, String(when), ...argv.slice(3)];
  changed(caller, key);
  db.notify("g", "expire", key);
  return 1;
}

/** The absolute time in milliseconds; negative times are allowed, overflow is not. */
function expiryTime(argv: readonly string[], caller: Caller, form: { seconds: boolean; relative: boolean }): Integer {
  const given = integerArgument(at(argv, 2));
  const ms = form.seconds ? multiply(given, 1000) : given;
  const isTooMuch = form.seconds && (given > INT64_MAX / 1000n || given < INT64_MIN / 1000n);
  const when = ms === undefined || isTooMuch ? undefined : form.relative ? add(ms, caller.server.nowMs) : ms;
  return when ?? fail(`ERR invalid expire time in '${at(argv, 0).toLowerCase()}' command`);
}

type Condition = "nx" | "xx" | "gt" | "lt";

function parseConditions(argv: readonly string[]): readonly Condition[] {
  const found = new Set<Condition>();
  for (const argument of argv.slice(3)) {
    const option = argument.toLowerCase();
    if (option !== "nx" && option !== "xx" && option !== "gt" && option !== "lt") {
      throw new ReplyError(errorReply(`ERR Unsupported option ${cString(argument)}`));
    }
    found.add(option);
  }
  if (found.has("nx") && found.size > 1) {
    fail("ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (found.has("gt") && found.has("lt")) fail("ERR GT and LT options at the same time are not compatible");
  return [...found];
}

function allows(condition: Condition, current: Integer | undefined, when: Integer): boolean {
  switch (condition) {
    case "nx":
      return current === undefined;
    case "xx":
      return current !== undefined;
    case "gt":
      // No expiry counts as one that never comes.
      return current !== undefined && when > current;
    case "lt":
      return current === undefined || when < current;
  }
}

function left(argv: readonly string[], caller: Caller, form: { seconds: boolean; absolute: boolean }): Reply {
  const { db, server } = caller;
  const key = at(argv, 1);
  if (db.readWithoutTouch(key) === undefined) return -2;
  const when = db.expires.get(key);
  if (when === undefined) return -1;
  const ms = form.absolute ? when : subtract(when, server.nowMs);
  const atLeast = ms < 0 ? 0 : ms;
  if (!form.seconds) return atLeast;
  return typeof atLeast === "number" ? Math.floor((atLeast + 500) / 1000) : (atLeast + 500n) / 1000n;
}

function persist(argv: readonly string[], caller: Caller): Reply {
  const key = at(argv, 1);
  if (caller.db.write(key) === undefined || !caller.db.expires.delete(key)) return 0;
  changed(caller, key);
  caller.db.notify("g", "persist", key);
  return 1;
}
