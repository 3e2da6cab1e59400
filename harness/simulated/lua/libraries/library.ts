import { Arguments } from "./arguments.ts";
import type { Runtime } from "../runtime.ts";
import { LuaTable } from "../table.ts";
import { NOTHING, type LuaFunction, type Value } from "../value.ts";

/** A library function: a returned value is its one result, an array its results, undefined none. */
export type LibraryFunction = (args: Arguments, runtime: Runtime) => Value | readonly Value[];

/** Makes a Lua function from a library function. */
export function libraryFunction(body: LibraryFunction, runtime: Runtime): LuaFunction {
  return (values) => {
    const result = body(new Arguments(values, runtime), runtime);
    if (Array.isArray(result)) return result as readonly Value[];
    return result === undefined ? NOTHING : [result as Value];
  };
}

/** Makes the Lua functions of a library. */
export function libraryFunctions(
  functions: Readonly<Record<string, LibraryFunction>>,
  runtime: Runtime,
): Readonly<Record<string, LuaFunction>> {
  const made: Record<string, LuaFunction> = {};
  for (const [name, body] of Object.entries(functions)) made[name] = libraryFunction(body, runtime);
  return made;
}

/** Makes a table of library functions and the library's other values, when it is first used. */
export function libraryTable(
  functions: Readonly<Record<string, LibraryFunction>>,
  runtime: Runtime,
  constants: Readonly<Record<string, Value>> = {},
): LuaTable {
  return LuaTable.filledLater((table) => {
    table.setAll({ ...libraryFunctions(functions, runtime), ...constants });
  });
}
