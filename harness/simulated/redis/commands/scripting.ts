import { LuaTable, runScript } from "../../lua/script.ts";
import { at, fail, integerArgument } from "../arguments.ts";
import { command, container, NO_KEYS, type Caller, type Command, type Handler } from "../command.ts";
import { ErrorReply, OK, ReplyError, type Reply } from "../protocol/reply.ts";
import { declaredBy, MAX_STEPS, performScript, refusalToRun } from "../scripting/script-execution.ts";
import { readScriptHeader, type ScriptFlags } from "../scripting/script-header.ts";
import { ScriptRun } from "../scripting/script-run.ts";
import type { RedisServer } from "../server.ts";
import { wrongSubcommand } from "./pubsub.ts";

const EVAL = "noscript stale skip_monitor no_mandatory_keys movablekeys may_replicate";
const EVAL_READ = "readonly noscript stale skip_monitor no_mandatory_keys movablekeys";
const NO_SCRIPT = new ErrorReply("NOSCRIPT No matching script. Please use EVAL.");

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
  return flags === undefined || flags.compatible ? spec : declaredBy(spec, flags);
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
  const refusal = refusalToRun(script.flags, caller, isReadOnly);
  if (refusal !== undefined) return refusal;
  const { runtime } = server.scripts;
  const globals = {
    KEYS: LuaTable.list(argv.slice(3, 3 + Number(count))),
    ARGV: LuaTable.list(argv.slice(3 + Number(count))),
  };
  const reply = performScript(new ScriptRun(caller, script.flags, isReadOnly), runtime, {
    name: script.sha,
    begin: () => runScript(script.run, runtime, { globals, steps: MAX_STEPS }),
  });
  server.scripts.used(script);
  return reply;
}
