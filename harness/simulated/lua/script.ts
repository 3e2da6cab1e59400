import { type LibraryFunction, libraryFunctions, libraryTable } from "./libraries/library.ts";
import { BASE_LIBRARY } from "./libraries/base.ts";
import { BIT_LIBRARY } from "./libraries/bit.ts";
import { JSON_CONSTANTS, jsonLibrary } from "./libraries/json.ts";
import { Drand48, mathLibrary } from "./libraries/math.ts";
import { MESSAGE_PACK_CONSTANTS, MESSAGE_PACK_LIBRARY } from "./libraries/message-pack.ts";
import { STRING_LIBRARY } from "./libraries/string.ts";
import { STRUCT_LIBRARY } from "./libraries/struct.ts";
import { TABLE_LIBRARY } from "./libraries/table.ts";
import { Runtime } from "./runtime.ts";
import { LuaTable } from "./table.ts";
import { type LuaFunction, NOTHING, type Value } from "./value.ts";

export { compile } from "./compiler/compile.ts";
export { Drand48 } from "./libraries/math.ts";
export { Runtime } from "./runtime.ts";
export { numberToText } from "./numbers.ts";
export { LuaTable } from "./table.ts";
export { isFunction, LuaBudgetError, LuaError, type LuaFunction, NOTHING, type Value } from "./value.ts";

/** There are no coroutines here: a script that creates one gets an error that says so. */
const COROUTINE_LIBRARY: Readonly<Record<string, LibraryFunction>> = Object.fromEntries(
  ["create", "resume", "running", "status", "wrap", "yield"].map((name) => [
    name,
    (args): never => {
      throw args.failure(`coroutine.${name} is not simulated`);
    },
  ]),
);

/** The globals of a script beyond the standard library: `redis`. They are protected. */
export type HostGlobals = (runtime: Runtime) => Readonly<Record<string, Value>>;

/**
 * A runtime with Lua's libraries as Redis offers them to scripts, all protected against change. A script that reads or
 * sets a global that does not exist gets Redis' own errors. One runtime serves all scripts of a server, like the real
 * server's one interpreter.
 * @param chunk the name of scripts in errors; Redis says `user_script`
 * @param random the source of `math.random`; it outlives a runtime
 */
export function createRuntime(chunk: string, globals: HostGlobals, random = new Drand48()): Runtime {
  const table = new LuaTable();
  const runtime = new Runtime(table, chunk);
  fillGlobals(table, runtime, globals, random);
  return runtime;
}

/**
 * Fills a table with Lua's libraries as Redis offers them and with the host's globals, and protects all of it.
 * @param runtime the one whose scripts will see them
 */
export function fillGlobals(table: LuaTable, runtime: Runtime, globals: HostGlobals, random: Drand48): void {
  const libraries = {
    string: libraryTable(STRING_LIBRARY, runtime),
    table: libraryTable(TABLE_LIBRARY, runtime),
    math: libraryTable(mathLibrary(random), runtime, { pi: Math.PI, huge: Infinity }),
    bit: libraryTable(BIT_LIBRARY, runtime),
    cjson: libraryTable(jsonLibrary(), runtime, JSON_CONSTANTS),
    cmsgpack: libraryTable(MESSAGE_PACK_LIBRARY, runtime, MESSAGE_PACK_CONSTANTS),
    struct: libraryTable(STRUCT_LIBRARY, runtime),
    os: libraryTable({ clock: () => 0 }, runtime),
    coroutine: libraryTable(COROUTINE_LIBRARY, runtime),
  };
  runtime.stringMetatable = LuaTable.from({ __index: libraries.string });
  table.setAll({
    ...libraryFunctions(BASE_LIBRARY, runtime),
    ...libraries,
    _VERSION: "Lua 5.1",
    _G: table,
    ...globals(runtime),
  });
  table.metatable = LuaTable.from({ __index: missingGlobal(runtime) });
  for (const each of [...Object.values(libraries), table, table.metatable]) each.readonly = true;
}

export interface ScriptRunOptions {
  /** Globals of this run alone: `KEYS`, `ARGV`. */
  readonly globals: Readonly<Record<string, Value>>;
  /** Calls and loop iterations after which the script is stopped. */
  readonly steps: number;
}

/**
 * Runs a script. `bound` is a compiled chunk that was given this runtime, kept for all its runs.
 * @throws LuaError, LuaBudgetError, and errors of the host's functions
 */
export function runScript(
  bound: LuaFunction,
  runtime: Runtime,
  { globals, steps }: ScriptRunOptions,
): readonly Value[] {
  const table = runtime.globals;
  table.readonly = false;
  for (const [name, value] of Object.entries(globals)) table.set(name, value);
  table.readonly = true;
  runtime.begin(steps);
  return bound(NOTHING);
}

/** The `__index` of a table whose absent fields are errors. */
export function missingGlobal(runtime: Runtime): LuaFunction {
  return ([, name]) => {
    throw runtime.error(
      runtime.lines[runtime.depth - 1] ?? 0,
      `Script attempted to access nonexistent global variable '${runtime.toText(name)}'`,
    );
  };
}
