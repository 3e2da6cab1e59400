import { LuaError, LuaTable, type LuaFunction, type Runtime, type Value } from "../../lua/script.ts";
import { findCommand } from "../execute.ts";
import { formatG, formatScore, nonFinite } from "../numbers/floats.ts";
import { ErrorReply } from "../protocol/reply.ts";
import { Refusal } from "./script-run.ts";
import { errorTable, replyToLua } from "./script-values.ts";
import { sha1 } from "./sha1.ts";
import type { RedisServer } from "../server.ts";

const NO_ARGUMENTS = "Please specify at least one argument for this redis lib call";
const LOG_LEVELS = { LOG_DEBUG: 0, LOG_VERBOSE: 1, LOG_NOTICE: 2, LOG_WARNING: 3 };
const REPLICATION = { REPL_NONE: 0, REPL_AOF: 1, REPL_SLAVE: 2, REPL_REPLICA: 2, REPL_ALL: 3 };

/** The global `redis` of the scripts of EVAL. */
export function redisGlobals(server: RedisServer, runtime: Runtime): Readonly<Record<string, Value>> {
  return apiGlobals(server, runtime, {
    replicate_commands: () => [true],
    breakpoint: () => [false],
    debug: () => [],
  });
}

/** The global `redis` of functions that FCALL runs. */
export function functionGlobals(server: RedisServer, runtime: Runtime): Readonly<Record<string, Value>> {
  return apiGlobals(server, runtime, {});
}

/** What a library may use of `redis` while it is loaded, beside registering functions. */
export function loadingApi(server: RedisServer, runtime: Runtime): Readonly<Record<string, Value>> {
  return { log: (args: readonly Value[]) => writeLog(server, runtime, args), ...LOG_LEVELS, ...versionFields(server) };
}

function versionFields({ version }: RedisServer): Readonly<Record<string, Value>> {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return { REDIS_VERSION: version, REDIS_VERSION_NUM: major * 65536 + minor * 256 + patch };
}

function apiGlobals(
  server: RedisServer,
  runtime: Runtime,
  more: Readonly<Record<string, LuaFunction>>,
): Readonly<Record<string, Value>> {
  const functions: Readonly<Record<string, LuaFunction>> = {
    call: (args) => [callCommand(server, args, true)],
    pcall: (args) => [callCommand(server, args, false)],
    error_reply: (args) => [errorReplyTable(args)],
    status_reply: (args) => {
      const [text] = args;
      if (args.length !== 1 || typeof text !== "string") return [plainError("wrong number or type of arguments")];
      return [LuaTable.from({ ok: text })];
    },
    sha1hex: (args) => {
      if (args.length !== 1) throw new LuaError(plainError("wrong number of arguments"));
      const [value] = args;
      return [sha1(typeof value === "string" || typeof value === "number" ? runtime.toText(value) : "")];
    },
    log: (args) => writeLog(server, runtime, args),
    setresp: (args) => {
      if (args.length !== 1) throw new LuaError(plainError("redis.setresp() requires one argument."));
      const asked = Math.trunc(Number(args[0]));
      if (asked !== 2 && asked !== 3) throw new LuaError(plainError("RESP version must be 2 or 3."));
      if (server.scripts.current !== undefined) server.scripts.current.resp = asked;
      return [];
    },
    set_repl: (args) => {
      if (args.length !== 1)
        throw new LuaError(
          plainError(`redis.set_repl() requires ${server.isModern ? "one argument" : "two arguments"}.`),
        );
      const flags = Math.trunc(Number(args[0])) || 0;
      if ((flags & ~3) !== 0) {
        throw new LuaError(plainError("Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE."));
      }
      const { current } = server.scripts;
      if (current !== undefined) current.propagation = { toReplicas: (flags & 2) !== 0, toFile: (flags & 1) !== 0 };
      return [];
    },
    acl_check_cmd: (args) => {
      const argv = args.map(String);
      if (argv.length === 0) throw new LuaError(plainError(NO_ARGUMENTS));
      if (findCommand(server, argv) === undefined) {
        throw new LuaError(plainError("Invalid command passed to redis.acl_check_cmd()"));
      }
      return [true];
    },
  };
  const redis = LuaTable.from({
    ...functions,
    ...more,
    ...LOG_LEVELS,
    ...REPLICATION,
    ...versionFields(server),
  });
  redis.readonly = true;
  // The library os came with 7.4; before that it is no global at all.
  return server.isModern ? { redis } : { redis, os: undefined };
}

/** An error table whose text gets the code ERR. */
export function plainError(text: string): LuaTable {
  return LuaTable.from({ err: `ERR ${text}` });
}

function callCommand(server: RedisServer, args: readonly Value[], raises: boolean): Value {
  const run = server.scripts.current;
  if (run === undefined) throw new LuaError("redis.call outside of a script");
  const answer = commandResult(run, args);
  if (raises && answer.isError) throw new LuaError(answer.value);
  return answer.value;
}

function commandResult(
  run: NonNullable<RedisServer["scripts"]["current"]>,
  args: readonly Value[],
): { value: Value; isError: boolean } {
  if (args.length === 0) {
    return { value: plainError(NO_ARGUMENTS), isError: true };
  }
  const argv: string[] = [];
  for (const argument of args) {
    if (typeof argument === "string") argv.push(argument);
    else if (typeof argument === "number") {
      argv.push(numberArgument(argument, run.server.isModern));
    } else {
      return {
        value: plainError("Lua redis lib command arguments must be strings or integers"),
        isError: true,
      };
    }
  }
  const reply = run.call(argv);
  if (reply instanceof Refusal) return { value: errorTable(`ERR ${reply.text}`), isError: true };
  return { value: replyToLua(reply, run.resp), isError: reply instanceof ErrorReply };
}

/** A number as an argument: an integer where it is one; 7.0 wrote it with 17 digits in any case. */
function numberArgument(value: number, isModern: boolean): string {
  if (isModern) return formatScore(value === 0 ? 0 : value, "shortest");
  return Number.isFinite(value) ? formatG(value, 17) : nonFinite(value);
}

function errorReplyTable(args: readonly Value[]): LuaTable {
  const [given] = args;
  if (args.length !== 1 || typeof given !== "string") return plainError("wrong number or type of arguments");
  // Without a blank the text has no code, and gets the general one.
  const whole = given.includes("\0") ? given.slice(0, given.indexOf("\0")) : given;
  const text = whole.startsWith("-") ? whole.slice(1) : whole;
  const blank = text.indexOf(" ");
  const code = blank < 0 ? "ERR" : text.slice(0, blank);
  const message = (blank < 0 ? text : text.slice(blank + 1)).replace(/^[\r\n]+|[\r\n]+$/g, "");
  return LuaTable.from({ err: `${code} ${message}` });
}

function writeLog(server: RedisServer, runtime: Runtime, args: readonly Value[]): readonly Value[] {
  if (args.length < 2) throw new LuaError(plainError("redis.log() requires two arguments or more."));
  const level = Number(args[0]);
  if (Number.isNaN(level)) throw new LuaError(plainError("First argument must be a number (log level)."));
  if (level < 0 || level > 3) throw new LuaError(plainError(`Invalid ${server.isModern ? "log" : "debug"} level.`));
  const texts = args.slice(1).filter((each) => typeof each === "string" || typeof each === "number");
  server.hooks.log?.(texts.map((each) => runtime.toText(each)).join(" "));
  return [];
}
