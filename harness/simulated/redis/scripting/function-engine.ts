import { compileOnce } from "../../lua/compiler/compile-once.ts";
import {
  type Drand48,
  fillGlobals,
  LuaBudgetError,
  LuaError,
  type LuaFunction,
  LuaTable,
  missingGlobal,
  NOTHING,
  Runtime,
  type Value,
} from "../../lua/script.ts";
import { fail } from "../arguments.ts";
import type { RedisServer } from "../server.ts";
import { readRegistration, type RegisteredFunction } from "./register-function.ts";
import { functionGlobals, loadingApi, plainError } from "./script-api.ts";
import { MAX_STEPS } from "./script-execution.ts";
import { oneLine } from "./script-values.ts";

const CHUNK = "user_function";

/** Calls and loop iterations after which loading counts as endless: about the half second that a real server grants. */
const MAX_LOADING_STEPS = 2_000_000;

/**
 * The interpreter of function libraries. A library that is loaded sees `redis.register_function`, `redis.log` and
 * nothing else, not even Lua's own libraries; a function that is called sees all that scripts see.
 */
export class FunctionEngine {
  readonly runtime: Runtime;
  readonly #view: LuaTable;
  readonly #calling = new LuaTable();
  readonly #loading: LuaTable;
  #registered: Map<string, RegisteredFunction> | undefined;

  constructor(server: RedisServer, random: Drand48) {
    const globals = new LuaTable();
    this.runtime = new Runtime(globals, CHUNK);
    fillGlobals(this.#calling, this.runtime, (runtime) => functionGlobals(server, runtime), random);
    const register: LuaFunction = (args) => this.#register(args);
    const redis = this.#protected({ register_function: register, ...loadingApi(server, this.runtime) });
    this.#loading = this.#protected({ redis });
    // What a name means is decided when it is used, so a function that was made while loading sees everything later.
    this.#view = LuaTable.from({ __index: this.#calling });
    globals.metatable = this.#view;
    globals.readonly = true;
  }

  #protected(entries: Readonly<Record<string, Value>>): LuaTable {
    const table = LuaTable.from(entries);
    table.metatable = LuaTable.from({ __index: missingGlobal(this.runtime) });
    table.metatable.readonly = true;
    table.readonly = true;
    return table;
  }

  /**
   * Runs a library's code and returns the functions that it registered.
   * @throws ReplyError when it does not compile, or raises an error
   */
  load(source: string): readonly RegisteredFunction[] {
    const chunk = this.#compile(source);
    const registered = new Map<string, RegisteredFunction>();
    this.#registered = registered;
    this.#view.set("__index", this.#loading);
    try {
      this.runtime.begin(MAX_LOADING_STEPS);
      chunk(NOTHING);
    } catch (error) {
      return fail(oneLine(`ERR Error registering functions: ${this.#textOf(error)}`));
    } finally {
      this.#registered = undefined;
      this.#view.set("__index", this.#calling);
    }
    return [...registered.values()];
  }

  /** Calls a function with its two arguments. @throws LuaError, LuaBudgetError */
  call({ callback }: RegisteredFunction, keys: readonly string[], args: readonly string[]): readonly Value[] {
    this.runtime.begin(MAX_STEPS);
    return callback([LuaTable.list(keys), LuaTable.list(args)]);
  }

  #compile(source: string): LuaFunction {
    try {
      return compileOnce(source, CHUNK)(this.runtime);
    } catch (error) {
      if (!(error instanceof LuaError)) throw error;
      return fail(oneLine(`ERR Error compiling function: ${error.message}`));
    }
  }

  #register(args: readonly Value[]): readonly Value[] {
    if (this.#registered === undefined) {
      throw new LuaError(plainError("redis.register_function can only be called on FUNCTION LOAD command"));
    }
    const made = readRegistration(args);
    if (this.#registered.has(made.name)) throw new LuaError(plainError("Function already exists in the library"));
    this.#registered.set(made.name, made);
    return NOTHING;
  }

  /** The message of an error while loading. */
  #textOf(error: unknown): string {
    if (error instanceof LuaBudgetError) return "ERR FUNCTION LOAD timeout";
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return `ERR ${this.runtime.position(1)}stack overflow`;
    }
    if (!(error instanceof LuaError)) throw error;
    const text = error.value instanceof LuaTable ? error.value.get("err") : `ERR ${this.runtime.toText(error.value)}`;
    return typeof text === "string" ? text : "(null)";
  }
}
