import { isFunction, LuaError, LuaTable, numberToText, type LuaFunction, type Value } from "../../lua/script.ts";
import { requireName } from "./library-header.ts";
import type { ScriptFlags } from "./script-header.ts";
import { plainError } from "./script-api.ts";

/** The flags of functions, in the order in which FUNCTION LIST shows them. */
const FLAGS = ["no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"] as const;

/** A function as its library registered it. */
export interface RegisteredFunction {
  readonly name: string;
  readonly description: string | undefined;
  /** What it declared, in the order of `FUNCTION LIST`. */
  readonly declared: readonly string[];
  readonly flags: ScriptFlags;
  /** Called with the keys and the other arguments, each a table. */
  readonly callback: LuaFunction;
}

/**
 * Reads the arguments of `redis.register_function`: a name and a function, or one table of named arguments.
 * @throws LuaError with the server's message
 */
export function readRegistration(args: readonly Value[]): RegisteredFunction {
  if (args.length < 1 || args.length > 2) return refuse("wrong number of arguments to redis.register_function");
  const [first, second] = args;
  if (args.length === 1) return registration(namedArguments(first));
  const name = textOf(first);
  if (name === undefined) return refuse("first argument to redis.register_function must be a string");
  if (!isFunction(second)) return refuse("second argument to redis.register_function must be a function");
  return registration({ name, callback: second });
}

interface Given {
  name?: string;
  callback?: LuaFunction;
  description?: string;
  declared?: ReadonlySet<string>;
}

function registration({ name, callback, description, declared = new Set() }: Given): RegisteredFunction {
  if (name === undefined) return refuse("redis.register_function must get a function name argument");
  if (callback === undefined) return refuse("redis.register_function must get a callback argument");
  requireName(name, (text) => refuse(text.replace(/^ERR /, "")));
  return {
    name,
    callback,
    description,
    declared: FLAGS.filter((flag) => declared.has(flag)),
    flags: {
      compatible: false,
      noWrites: declared.has("no-writes"),
      allowOom: declared.has("allow-oom"),
      allowStale: declared.has("allow-stale"),
    },
  };
}

function namedArguments(table: Value): Given {
  if (!(table instanceof LuaTable)) {
    return refuse(
      "calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).",
    );
  }
  const given: Given = {};
  for (const [key, value] of table.entries()) {
    const name = textOf(key);
    if (name === undefined) return refuse("named argument key given to redis.register_function is not a string");
    take(given, name.toLowerCase(), value);
  }
  return given;
}

function take(given: Given, key: string, value: Value): void {
  switch (key) {
    case "function_name":
    case "description": {
      const text = textOf(value) ?? refuse(`${key} argument given to redis.register_function must be a string`);
      if (key === "description") given.description = text;
      else given.name = text;
      return;
    }
    case "callback":
      if (!isFunction(value)) return refuse("callback argument given to redis.register_function must be a function");
      given.callback = value;
      return;
    case "flags":
      given.declared = flagsIn(value);
      return;
    default:
      refuse("unknown argument given to redis.register_function");
  }
}

function flagsIn(table: Value): ReadonlySet<string> {
  if (!(table instanceof LuaTable)) {
    return refuse("flags argument to redis.register_function must be a table representing function flags");
  }
  const flags = new Set<string>();
  for (let index = 1; ; index += 1) {
    const flag = table.get(index);
    if (flag === undefined) return flags;
    const known = FLAGS.find((each) => each === textOf(flag)?.toLowerCase());
    flags.add(known ?? refuse("unknown flag given"));
  }
}

/** What counts as a string in Lua's own interface: a number does too. */
function textOf(value: Value): string | undefined {
  if (typeof value === "number") return numberToText(value);
  return typeof value === "string" ? value : undefined;
}

function refuse(text: string): never {
  throw new LuaError(plainError(text));
}
