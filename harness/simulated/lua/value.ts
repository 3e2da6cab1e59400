import type { LuaTable } from "./table.ts";

/**
 * Lua values in JavaScript: nil is undefined; a string is a binary string (one character per byte, 0 to 255), as
 * everywhere in the simulated Redis; a function takes its arguments and returns its results as arrays.
 */
export type Value = undefined | boolean | number | string | LuaTable | LuaFunction | Userdata;
export type LuaFunction = (args: readonly Value[]) => readonly Value[];

/** A value that scripts can only compare, such as `cjson.null`. */
export class Userdata {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** An error raised in Lua, whose value can be any Lua value. */
export class LuaError extends Error {
  readonly value: Value;
  /** The line of the operator that failed; undefined where a called function raised the error. */
  readonly line: number | undefined;

  constructor(value: Value, line?: number) {
    super(typeof value === "string" ? value : "a Lua error that is no string");
    this.value = value;
    this.line = line;
  }
}

/** The script used up its steps; `pcall` does not catch it. */
export class LuaBudgetError extends Error {
  override readonly name = "LuaBudgetError";
}

/** A shared empty list of results. */
export const NOTHING: readonly Value[] = [];

/** Whether a value can be called without a metatable. */
export function isFunction(value: Value): value is LuaFunction {
  return typeof value === "function";
}

/** The result of `type`. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "undefined":
      return "nil";
    case "object":
      return value instanceof Userdata ? "userdata" : "table";
    default:
      return typeof value;
  }
}

/** Everything is true except nil and false. */
export function truthy(value: Value): boolean {
  return value !== undefined && value !== false;
}
