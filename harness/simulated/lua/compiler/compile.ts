import { parse } from "luaparse";
import { Generator } from "./code-generator.ts";
import { markSource, unmarkString, withoutMarks } from "./source-marks.ts";
import type { Runtime, Site } from "../runtime.ts";
import { nothing } from "../runtime.ts";
import { LuaTable } from "../table.ts";
import { LuaError, type LuaFunction, truthy } from "../value.ts";

/** A compiled script: bound to a runtime, it is a function. */
export type Chunk = (runtime: Runtime) => LuaFunction;

type Factory = (
  runtime: Runtime,
  sites: readonly Site[],
  table: typeof LuaTable,
  isTrue: typeof truthy,
  none: typeof nothing,
) => LuaFunction;

/**
 * Compiles Lua 5.1 to JavaScript. Calls, indexing and operators become calls of the runtime; control flow and local
 * variables become JavaScript's own.
 * @param source a binary string
 * @param name the script's name in errors
 * @throws LuaError with the position, as the real compiler reports it
 */
export function compile(source: string, name: string): Chunk {
  const generator = new Generator();
  let code: string;
  try {
    const { body } = parse(markSource(source), {
      luaVersion: "5.1",
      encodingMode: "pseudo-latin1",
      locations: true,
      comments: false,
      onCreateNode: unmarkString,
    });
    code = generator.functionCode({ parameters: [VARARGS], body });
  } catch (error) {
    throw new LuaError(explain(error, name));
  }
  // The code holds nothing of the script's text but string literals, escaped by JSON.stringify, and numbers.
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func
  const factory = new Function(
    "runtime",
    "sites",
    "LuaTable",
    "truthy",
    "nothing",
    `"use strict"; return ${code};`,
  ) as Factory;
  const { sites } = generator;
  return (runtime) => factory(runtime, sites, LuaTable, truthy, nothing);
}

const VARARGS = { type: "VarargLiteral", value: "...", raw: "..." } as const;

/** `[1:9] unexpected ...` becomes `name:1: unexpected ...`. */
function explain(error: unknown, name: string): string {
  if (!(error instanceof SyntaxError)) throw error;
  const line = "line" in error && typeof error.line === "number" ? error.line : 1;
  const message = error.message.replace(/^\[\d+:\d+\] /, "").replace("<expression> expected", "unexpected symbol");
  return `${name}:${line}: ${withoutMarks(message)}`;
}
