import { HarnessError } from "../../../core/errors.ts";
import { LuaBudgetError, LuaError, LuaTable, runScript, type Runtime } from "../../lua/script.ts";
import { at, fail, integerArgument } from "../arguments.ts";
import { command, container, NO_KEYS, type Caller, type Command, type Handler } from "../command.ts";
import { MASTER_DOWN, NO_REPLICAS } from "../execute.ts";
import { ErrorReply, OK, ReplyError, type Reply } from "../protocol/reply.ts";
import type { Script } from "../scripting/script-cache.ts";
import { readScriptHeader, type ScriptFlags } from "../scripting/script-header.ts";
import { ScriptRun } from "../scripting/script-run.ts";
import { luaToReply, oneLine } from "../scripting/script-values.ts";
import type { RedisServer } from "../server.ts";
import { wrongSubcommand } from "./pubsub.ts";

const EVAL = "noscript stale skip_monitor no_mandatory_keys movablekeys may_replicate";
const EVAL_READ = "readonly noscript stale skip_monitor no_mandatory_keys movablekeys";
const NO_SCRIPT = new ErrorReply("NOSCRIPT No matching script. Please use EVAL.");

/** Calls and loop iterations after which a script counts as endless: seconds of a real server's time. */
const MAX_STEPS = 20_000_000;

/** EVAL and its relatives, and SCRIPT. */
export const scriptingCommands: readonly Command[] = [
  evalCommand("eval", EVAL),
  evalCommand("eval_ro", EVAL_READ),
  evalCommand("evalsha", EVAL),
  evalCommand("evalsha_ro", EVAL_READ),
  container("script", "", [
    command("load", 3, "noscript stale", NO_KEYS, (argv, { server }) => server.scripts.define(at(argv, 2), false).sha),
    command("exists", -3, "noscript", NO_KEYS, (argv, { server }) =>
      argv.slice(2).map((sha) => (server.scripts.find(sha) === undefined ? 0 : 1)),
    ),
    command("flush", -2, "noscript", NO_KEYS, (argv, { server }) => {
      const mode = argv[2]?.toLowerCase() ?? "sync";
      if (argv.length > 3 || (mode !== "sync" && mode !== "async")) {
        return new ErrorReply("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
      }
      server.scripts.flush();
      return OK;
    }),
    command(
      "kill",
      2,
      "noscript allow_busy",
      NO_KEYS,
      () => new ErrorReply("NOTBUSY No scripts in execution right now."),
    ),
    command("debug", 3, "noscript", NO_KEYS, (argv) => {
      const mode = at(argv, 2).toLowerCase();
      if (mode === "no") return OK;
      return mode === "yes" || mode === "sync"
        ? wrongSubcommand(argv)
        : new ErrorReply("ERR Use SCRIPT DEBUG YES/SYNC/NO");
    }),
  ]),
];

function evalCommand(name: string, flags: string): Command {
  const byDigest = name.startsWith("evalsha");
  const isReadOnly = name.endsWith("_ro");
  const handler: Handler = (argv, caller) => evaluate(argv, caller, byDigest, isReadOnly);
  // The server propagates a script's effects, not the script.
  const spec = { ...command(name, -3, flags, NO_KEYS, handler), transparent: true };
  return { ...spec, refine: (argv, server) => refine(spec, argv, server, byDigest) };
}

/** A script with a header is checked by its declarations before it runs. */
function refine(spec: Command, argv: readonly string[], server: RedisServer, byDigest: boolean): Command {
  const flags = declaredFlags(argv, server, byDigest);
  if (flags === undefined || flags.compatible) return spec;
  const names = new Set(spec.flags);
  if (!flags.allowStale) names.delete("stale");
  return {
    ...spec,
    flags: names,
    denyOom: !flags.allowOom && !flags.noWrites,
    writes: !flags.noWrites,
    mayReplicate: !flags.noWrites,
    stale: flags.allowStale,
  };
}

function declaredFlags(argv: readonly string[], server: RedisServer, byDigest: boolean): ScriptFlags | undefined {
  const body = argv[1] ?? "";
  if (byDigest) return body.length === 40 ? server.scripts.find(body)?.flags : undefined;
  if (!body.startsWith("#!")) return undefined;
  try {
    return readScriptHeader(body).flags;
  } catch (error) {
    if (error instanceof ReplyError) return undefined;
    throw error;
  }
}

function evaluate(argv: readonly string[], caller: Caller, byDigest: boolean, isReadOnly: boolean): Reply {
  const { server } = caller;
  const body = at(argv, 1);
  if (byDigest && body.length !== 40) return NO_SCRIPT;
  const count = integerArgument(at(argv, 2));
  if (count > argv.length - 3) return fail("ERR Number of keys can't be greater than number of args");
  if (count < 0) return fail("ERR Number of keys can't be negative");
  const script = byDigest ? server.scripts.find(body) : server.scripts.define(body, true);
  if (script === undefined) return NO_SCRIPT;
  const refusal = refusalOf(script, caller, isReadOnly);
  if (refusal !== undefined) return refusal;
  const keys = argv.slice(3, 3 + Number(count));
  const reply = run(script, new ScriptRun(caller, script, isReadOnly), keys, argv.slice(3 + Number(count)));
  server.scripts.used(script);
  return reply;
}

/** Why a script must not begin. */
function refusalOf({ flags }: Script, { server, session }: Caller, isReadOnly: boolean): ErrorReply | undefined {
  if (flags.compatible) return server.isStale ? MASTER_DOWN : undefined;
  if (server.isStale && !flags.allowStale) {
    return new ErrorReply(
      "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and 'allow-stale' flag is not set on the script.",
    );
  }
  if (!flags.noWrites) {
    if (server.isReplica && !server.isWritableReplica && session.role !== "master") {
      return new ErrorReply("READONLY Can not run script with write flag on readonly replica");
    }
    if (isReadOnly) return new ErrorReply("ERR Can not execute a script with write flag using *_ro command.");
    if (server.lacksReplicas()) return NO_REPLICAS;
  }
  const isShort = server.outOfMemory && server.config.maxMemory > 0;
  if (isShort && !flags.allowOom && !flags.noWrites) {
    return new ErrorReply("OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'");
  }
  return undefined;
}

function run(script: Script, scriptRun: ScriptRun, keys: readonly string[], args: readonly string[]): Reply {
  const { server } = scriptRun;
  const { scripts } = server;
  const { runtime } = scripts;
  scripts.current = scriptRun;
  try {
    const globals = { KEYS: LuaTable.list(keys), ARGV: LuaTable.list(args) };
    const [value] = runScript(script.run, runtime, { globals, steps: MAX_STEPS });
    return luaToReply(value, scriptRun.resp, server);
  } catch (error) {
    if (error instanceof LuaBudgetError) {
      throw new HarnessError("a script does not end; the simulated server cannot go on as if it were busy", {
        cause: error,
      });
    }
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return failure(new LuaError(`${runtime.position(1)}stack overflow`), runtime.lineOfError(), script, runtime);
    }
    if (!(error instanceof LuaError)) throw error;
    return failure(error, error.line ?? runtime.lineOfError(), script, runtime);
  } finally {
    scripts.current = undefined;
  }
}

/** The reply for an error that the script did not catch: its text, and its place. */
function failure({ value }: LuaError, line: number | undefined, { sha }: Script, runtime: Runtime): ErrorReply {
  const where = line === undefined || line < 1 ? "" : ` script: ${sha}, on @user_script:${line}.`;
  if (value instanceof LuaTable) {
    const text = value.get("err");
    return new ErrorReply(oneLine(typeof text === "string" ? text : "(null)", where));
  }
  return new ErrorReply(oneLine(`ERR ${runtime.toText(value)}`, where));
}
