import { at, fail, integerArgument } from "../arguments.ts";
import { command, container, NO_KEYS, type Caller, type Command, type Handler } from "../command.ts";
import { cString } from "../execute.ts";
import { globMatches } from "../glob.ts";
import { ErrorReply, errorReply, MapReply, OK, SetReply, StatusReply, type Reply } from "../protocol/reply.ts";
import type { FunctionLibrary } from "../scripting/function-libraries.ts";
import type { RegisteredFunction } from "../scripting/register-function.ts";
import { declaredBy, performScript, refusalToRun } from "../scripting/script-execution.ts";
import { ScriptRun } from "../scripting/script-run.ts";
import type { RedisServer } from "../server.ts";
import { wrongSubcommand } from "./pubsub.ts";

const CALL = "noscript stale skip_monitor no_mandatory_keys movablekeys may_replicate";
const CALL_READ = "readonly noscript stale skip_monitor no_mandatory_keys movablekeys";
const POLICIES = new Set(["append", "replace", "flush"]);

/** FCALL, its relative that only reads, and FUNCTION. */
export const functionCommands: readonly Command[] = [
  callCommand("fcall", CALL),
  callCommand("fcall_ro", CALL_READ),
  container("function", "", [
    command("load", -3, "write denyoom noscript", NO_KEYS, load),
    command("delete", 3, "write noscript", NO_KEYS, (argv, { server }) => {
      if (!server.functions.delete(at(argv, 2))) return new ErrorReply("ERR Library not found");
      server.dirty += 1;
      return OK;
    }),
    command("flush", -2, "write noscript", NO_KEYS, flush),
    command("list", -2, "noscript", NO_KEYS, list),
    command("stats", 2, "noscript allow_busy", NO_KEYS, (_, { server }) => statistics(server)),
    command("dump", 2, "noscript", NO_KEYS, (argv, { server }) => notThere(argv, server)),
    command("restore", -3, "write denyoom noscript", NO_KEYS, restore),
    command("kill", 2, "noscript allow_busy", NO_KEYS, () => new ErrorReply(NOTHING_RUNS)),
  ]),
];

const NOTHING_RUNS = "NOTBUSY No scripts in execution right now.";

function load(argv: readonly string[], { server }: Caller): Reply {
  const options = argv.slice(2, -1);
  const unknown = options.find((option) => option.toLowerCase() !== "replace");
  if (unknown !== undefined) return errorReply(`ERR Unknown option given: ${cString(unknown)}`);
  const name = server.functions.load(at(argv, argv.length - 1), options.length > 0);
  server.dirty += 1;
  return name;
}

function flush(argv: readonly string[], { server }: Caller): Reply {
  if (argv.length > 3) return wrongSubcommand(argv);
  const mode = argv[2]?.toLowerCase() ?? "sync";
  if (mode !== "sync" && mode !== "async") {
    return new ErrorReply("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  }
  server.functions.flush();
  server.dirty += 1;
  return OK;
}

function restore(argv: readonly string[], { server }: Caller): Reply {
  if (argv.length > 4) return wrongSubcommand(argv);
  if (argv.length === 4 && !POLICIES.has(at(argv, 3).toLowerCase())) {
    return new ErrorReply("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
  }
  return notThere(argv, server);
}

/** The format of an RDB file is not simulated: a simulation whose lock asks for it ends. */
function notThere(argv: readonly string[], { hooks }: RedisServer): Reply {
  const name = at(argv, 1).toUpperCase();
  hooks.absentCommand?.(`FUNCTION ${name}`);
  return new ErrorReply(`ERR FUNCTION ${name} is not simulated`);
}

function list(argv: readonly string[], { server }: Caller): Reply {
  let pattern: string | undefined;
  let withCode = false;
  for (let index = 2; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    if (option === "withcode" && !withCode) withCode = true;
    else if (option === "libraryname" && pattern === undefined) {
      index += 1;
      pattern = argv[index] ?? fail("ERR library name argument was not given");
    } else return errorReply(`ERR Unknown argument ${cString(at(argv, index))}`);
  }
  const found = server.functions.all.filter(({ name }) => pattern === undefined || globMatchesName(pattern, name));
  return found.map((library) => describeLibrary(library, withCode));
}

/** Libraries are found in either case. */
function globMatchesName(pattern: string, name: string): boolean {
  return globMatches(pattern.toLowerCase(), name.toLowerCase());
}

function describeLibrary({ name, functions, code }: FunctionLibrary, withCode: boolean): Reply {
  const flat: Reply[] = ["library_name", name, "engine", "LUA", "functions", functions.map(describeFunction)];
  return new MapReply(withCode ? [...flat, "library_code", code] : flat);
}

function describeFunction({ name, description, declared }: RegisteredFunction): Reply {
  const flags = new SetReply(declared.map((flag) => new StatusReply(flag)));
  return new MapReply(["name", name, "description", description ?? null, "flags", flags]);
}

/** Nothing else runs while a function does, so there is never one to describe. */
function statistics({ functions }: RedisServer): Reply {
  const count = functions.all.reduce((sum, library) => sum + library.functions.length, 0);
  const lua = new MapReply(["libraries_count", functions.all.length, "functions_count", count]);
  return new MapReply(["running_script", null, "engines", new MapReply(["LUA", lua])]);
}

function callCommand(name: string, flags: string): Command {
  const isReadOnly = name.endsWith("_ro");
  const handler: Handler = (argv, caller) => callFunction(argv, caller, isReadOnly);
  // The server propagates a function's effects, not the call.
  const spec = { ...command(name, -3, flags, NO_KEYS, handler), transparent: true };
  return {
    ...spec,
    refine: (argv, { functions }) => {
      const found = functions.find(argv[1] ?? "");
      return found === undefined ? spec : declaredBy(spec, found.flags);
    },
  };
}

function callFunction(argv: readonly string[], caller: Caller, isReadOnly: boolean): Reply {
  const { functions } = caller.server;
  const found = functions.find(at(argv, 1));
  if (found === undefined) return new ErrorReply("ERR Function not found");
  const count = Number(integerArgument(at(argv, 2), "ERR Bad number of keys provided"));
  if (count > argv.length - 3) return new ErrorReply("ERR Number of keys can't be greater than number of args");
  if (count < 0) return new ErrorReply("ERR Number of keys can't be negative");
  const refusal = refusalToRun(found.flags, caller, isReadOnly);
  if (refusal !== undefined) return refusal;
  const { engine } = functions;
  const [keys, args] = [argv.slice(3, 3 + count), argv.slice(3 + count)];
  return performScript(new ScriptRun(caller, found.flags, isReadOnly), engine.runtime, {
    name: found.name,
    begin: () => engine.call(found, keys, args),
  });
}
