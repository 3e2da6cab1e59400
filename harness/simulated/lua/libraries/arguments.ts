import { type Runtime, toNumber } from "../runtime.ts";
import { numberToText } from "../numbers.ts";
import { LuaTable } from "../table.ts";
import { isFunction, LuaError, type LuaFunction, typeName, type Value } from "../value.ts";

/** The arguments of a library function, read with Lua's own complaints. Positions count from 1. */
export class Arguments {
  readonly values: readonly Value[];
  readonly #runtime: Runtime;

  constructor(values: readonly Value[], runtime: Runtime) {
    this.values = values;
    this.#runtime = runtime;
  }

  get count(): number {
    return this.values.length;
  }

  at(position: number): Value {
    return this.values[position - 1];
  }

  any(position: number): Value {
    if (position > this.values.length) throw this.error(position, "value expected");
    return this.values[position - 1];
  }

  table(position: number): LuaTable {
    const value = this.at(position);
    if (value instanceof LuaTable) return value;
    throw this.#typeError(position, "table");
  }

  function(position: number): LuaFunction {
    const value = this.at(position);
    if (isFunction(value)) return value;
    throw this.#typeError(position, "function");
  }

  text(position: number, otherwise?: string): string {
    const value = this.at(position);
    if (typeof value === "string") return value;
    if (typeof value === "number") return numberToText(value);
    if (value === undefined && otherwise !== undefined) return otherwise;
    throw this.#typeError(position, "string");
  }

  /** A string or a number as text. */
  textOf(value: string | number): string {
    return typeof value === "string" ? value : numberToText(value);
  }

  number(position: number, otherwise?: number): number {
    const value = this.at(position);
    if (value === undefined && otherwise !== undefined) return otherwise;
    const number = toNumber(value);
    if (number === undefined) throw this.#typeError(position, "number");
    return number;
  }

  /**
   * A number truncated to a 64-bit integer, as C does on x86: a value that does not fit becomes the smallest integer.
   */
  integer(position: number, otherwise?: number): number {
    const number = Math.trunc(this.number(position, otherwise));
    return number >= -(2 ** 63) && number < 2 ** 63 ? number : -(2 ** 63);
  }

  /** The same in 32 bits: the lower half of a larger integer. */
  int(position: number, otherwise?: number): number {
    return this.integer(position, otherwise) | 0;
  }

  error(position: number, problem: string): LuaError {
    const { name, isMethod } = this.#runtime.calledAs();
    if (!isMethod) return this.failure(`bad argument #${position} to '${name}' (${problem})`);
    // The object before the colon does not count as an argument.
    if (position === 1) return this.failure(`calling '${name}' on bad self (${problem})`);
    return this.failure(`bad argument #${position - 1} to '${name}' (${problem})`);
  }

  /** An error of the whole function, with its position. */
  failure(problem: string): LuaError {
    return new LuaError(this.#runtime.position(1) + problem);
  }

  #typeError(position: number, expected: string): LuaError {
    const value = this.at(position);
    const got = position > this.values.length ? "no value" : typeName(value);
    return this.error(position, `${expected} expected, got ${got}`);
  }
}
