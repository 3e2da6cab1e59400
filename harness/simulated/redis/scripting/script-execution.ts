import { HarnessError } from "../../../core/errors.ts";
import { LuaBudgetError, LuaError, LuaTable, type Runtime, type Value } from "../../lua/script.ts";
import type { Caller, Command } from "../command.ts";
import { MASTER_DOWN, NO_REPLICAS } from "../execute.ts";
import { ErrorReply, type Reply } from "../protocol/reply.ts";
import type { ScriptFlags } from "./script-header.ts";
import type { ScriptRun } from "./script-run.ts";
import { luaToReply, oneLine } from "./script-values.ts";

/** Calls and loop iterations after which a script counts as endless: seconds of a real server's time. */
export const MAX_STEPS = 20_000_000;

/** The command that runs a script, with what the script declares about itself in place of its own flags. */
export function declaredBy(spec: Command, flags: ScriptFlags): Command {
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

/** Why a script or a function must not begin. */
export function refusalToRun(
  flags: ScriptFlags,
  { server, session }: Caller,
  isReadOnly: boolean,
): ErrorReply | undefined {
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

/** What a run executes. */
export interface Execution {
  /** Under which errors name it: a script's digest, a function's name. */
  readonly name: string;
  readonly begin: () => readonly Value[];
}

/** Runs it, and turns its result or its error into a reply. */
export function performScript(scriptRun: ScriptRun, runtime: Runtime, { name, begin }: Execution): Reply {
  const { server } = scriptRun;
  const { scripts } = server;
  scripts.current = scriptRun;
  try {
    const [value] = begin();
    return luaToReply(value, scriptRun.resp, server);
  } catch (error) {
    if (error instanceof LuaBudgetError) {
      throw new HarnessError("a script does not end; the simulated server cannot go on as if it were busy", {
        cause: error,
      });
    }
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return failure(new LuaError(`${runtime.position(1)}stack overflow`), runtime.lineOfError(), name, runtime);
    }
    if (!(error instanceof LuaError)) throw error;
    return failure(error, error.line ?? runtime.lineOfError(), name, runtime);
  } finally {
    scripts.current = undefined;
  }
}

/** The reply for an error that the script did not catch: its text, and its place. */
function failure({ value }: LuaError, line: number | undefined, name: string, runtime: Runtime): ErrorReply {
  const where = line === undefined || line < 1 ? "" : ` script: ${name}, on @${runtime.chunk}:${line}.`;
  if (value instanceof LuaTable) {
    const text = value.get("err");
    return new ErrorReply(oneLine(typeof text === "string" ? text : "(null)", where));
  }
  return new ErrorReply(oneLine(`ERR ${runtime.toText(value)}`, where));
}
