import { numberToText, textToNumber } from "./numbers.ts";
import { LuaTable } from "./table.ts";
import {
  LuaBudgetError,
  isFunction,
  LuaError,
  type LuaFunction,
  NOTHING,
  truthy,
  typeName,
  Userdata,
  type Value,
} from "./value.ts";

/** A place in a script, for error messages: its line, and the names of the operands there: "local 'x'", "field 'y'". */
export interface Site {
  readonly line: number;
  readonly left?: string;
  readonly right?: string;
}

/** Beyond this depth of calls Lua raises an error. Real Lua allows more; this is what JavaScript's own stack allows. */
const MOST_CALLS = 1500;

const ARITHMETIC = {
  __add: (a: number, b: number) => a + b,
  __sub: (a: number, b: number) => a - b,
  __mul: (a: number, b: number) => a * b,
  __div: (a: number, b: number) => a / b,
  // Lua 5.1 defines a % b as a - floor(a / b) * b.
  __mod: (a: number, b: number) => a - Math.floor(a / b) * b,
  // C's pow, where JavaScript's differs: 1 to any power is 1, and so is -1 to an infinite one.
  __pow: (a: number, b: number) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
} as const;
export type ArithmeticEvent = keyof typeof ARITHMETIC;

/**
 * The functions that compiled code calls: everything that an operator does beyond the simplest case, with Lua 5.1's
 * errors.
 */
export class Runtime {
  readonly globals: LuaTable;
  /** Metatable of all strings. */
  stringMetatable: LuaTable | undefined;
  readonly chunk: string;
  /** The line of each active call; 0 where a library made it. */
  readonly lines: number[] = [];
  /** The name by which each active function was called: "global 'x'"; undefined where it has no name. */
  readonly #names: (string | undefined)[] = [];
  depth = 0;
  #steps = 0;

  /** @param chunk name of the script in error messages */
  constructor(globals: LuaTable, chunk: string) {
    this.globals = globals;
    this.chunk = chunk;
  }

  /** Prepares for a script: no active calls, and a budget of calls and loop iterations. */
  begin(steps: number): void {
    this.#steps = steps;
    this.depth = 1;
    this.lines[0] = 0;
  }

  /**
   * Counts one or more steps.
   * @throws LuaBudgetError when the budget is used up
   */
  tick(steps = 1): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new LuaBudgetError("the script ran for too long");
  }

  /** An error with the position of a line before its message; without it for line 0, which is library code. */
  error(line: number, message: string): LuaError {
    if (line === 0) return new LuaError(message);
    return new LuaError(`${this.chunk}:${line}: ${message}`, line);
  }

  /** After an uncaught error: the line that called the function that raised it. Undefined when a library called it. */
  lineOfError(): number | undefined {
    const line = this.lines[this.depth - 1];
    return line === 0 ? undefined : line;
  }

  /** The current position of the function `level` calls up, as a prefix of messages; empty in a library. */
  position(level: number): string {
    const line = this.lines[this.depth - level] ?? 0;
    return line === 0 ? "" : `${this.chunk}:${line}: `;
  }

  /** The name by which the current library function was called, and whether as a method; "?" where there is none. */
  calledAs(): { readonly name: string; readonly isMethod: boolean } {
    const name = this.#names[this.depth - 1];
    return { name: name?.slice(name.indexOf("'") + 1, -1) ?? "?", isMethod: name?.startsWith("method ") === true };
  }

  call(callee: Value, args: readonly Value[], site: Site): readonly Value[] {
    if (isFunction(callee)) return this.#enter(callee, args, site.line, site.left);
    const handler = this.metamethod(callee, "__call");
    if (isFunction(handler)) return this.#enter(handler, [callee, ...args], site.line, site.left);
    throw this.#operandError(site.line, "call", callee, site.left);
  }

  /** A call by a library: it has no line. */
  invoke(callee: Value, args: readonly Value[]): readonly Value[] {
    if (isFunction(callee)) return this.#enter(callee, args, 0);
    const handler = this.metamethod(callee, "__call");
    if (isFunction(handler)) return this.#enter(handler, [callee, ...args], 0);
    throw new LuaError(`attempt to call a ${typeName(callee)} value`);
  }

  method(object: Value, name: string, args: readonly Value[], site: Site): readonly Value[] {
    const callee = this.index(object, name, site);
    return this.call(callee, [object, ...args], { line: site.line, left: `method '${name}'` });
  }

  index(object: Value, key: Value, site: Site): Value {
    if (object instanceof LuaTable) {
      const value = object.get(key);
      if (value !== undefined || object.metatable === undefined) return value;
    }
    const handler = this.metamethod(object, "__index");
    if (handler === undefined) {
      if (object instanceof LuaTable) return undefined;
      throw this.#operandError(site.line, "index", object, site.left);
    }
    if (isFunction(handler)) return this.#enter(handler, [object, key], site.line)[0];
    return this.index(handler, key, site);
  }

  setIndex(object: Value, key: Value, value: Value, site: Site): void {
    if (object instanceof LuaTable) {
      if (object.metatable === undefined || object.get(key) !== undefined)
        return this.#rawSet(object, key, value, site);
    }
    const handler = this.metamethod(object, "__newindex");
    if (handler === undefined) {
      if (object instanceof LuaTable) return this.#rawSet(object, key, value, site);
      throw this.#operandError(site.line, "index", object, site.left);
    }
    if (isFunction(handler)) this.#enter(handler, [object, key, value], site.line);
    else this.setIndex(handler, key, value, site);
  }

  arithmetic(event: ArithmeticEvent, left: Value, right: Value, site: Site): Value {
    if (typeof left === "number" && typeof right === "number") return ARITHMETIC[event](left, right);
    const a = toNumber(left);
    const b = toNumber(right);
    if (a !== undefined && b !== undefined) return ARITHMETIC[event](a, b);
    const handler = this.metamethod(left, event) ?? this.metamethod(right, event);
    if (handler !== undefined) return this.call(handler, [left, right], site)[0];
    const [culprit, name] = a === undefined ? [left, site.left] : [right, site.right];
    throw this.#operandError(site.line, "perform arithmetic on", culprit, name);
  }

  negate(operand: Value, site: Site): Value {
    const number = toNumber(operand);
    if (number !== undefined) return -number;
    const handler = this.metamethod(operand, "__unm");
    if (handler !== undefined) return this.call(handler, [operand, operand], site)[0];
    throw this.#operandError(site.line, "perform arithmetic on", operand, site.left);
  }

  length(operand: Value, site: Site): Value {
    if (typeof operand === "string" || operand instanceof LuaTable) return operand.length;
    throw this.#operandError(site.line, "get length of", operand, site.left);
  }

  concat(left: Value, right: Value, site: Site): Value {
    const a = concatenable(left);
    const b = concatenable(right);
    if (a !== undefined && b !== undefined) return a + b;
    const handler = this.metamethod(left, "__concat") ?? this.metamethod(right, "__concat");
    if (handler !== undefined) return this.call(handler, [left, right], site)[0];
    const [culprit, name] = a === undefined ? [left, site.left] : [right, site.right];
    throw this.#operandError(site.line, "concatenate", culprit, name);
  }

  equals(left: Value, right: Value): boolean {
    if (left === right) return true;
    if (!(left instanceof LuaTable) || !(right instanceof LuaTable)) return false;
    const handler = this.metamethod(left, "__eq");
    if (handler === undefined || handler !== this.metamethod(right, "__eq")) return false;
    return truthy(this.invoke(handler, [left, right])[0]);
  }

  less(left: Value, right: Value, site: Site): boolean {
    if (typeof left === "number" && typeof right === "number") return left < right;
    if (typeof left === "string" && typeof right === "string") return left < right;
    return this.#compare("__lt", left, right, site) ?? this.#refuseComparison(left, right, site);
  }

  lessOrEqual(left: Value, right: Value, site: Site): boolean {
    if (typeof left === "number" && typeof right === "number") return left <= right;
    if (typeof left === "string" && typeof right === "string") return left <= right;
    const direct = this.#compare("__le", left, right, site);
    if (direct !== undefined) return direct;
    const opposite = this.#compare("__lt", right, left, site);
    return opposite === undefined ? this.#refuseComparison(left, right, site) : !opposite;
  }

  /** `left > right`, which is `right < left` except for the order in which an error names them. */
  greater(left: Value, right: Value, site: Site): boolean {
    return this.less(right, left, site);
  }

  greaterOrEqual(left: Value, right: Value, site: Site): boolean {
    return this.lessOrEqual(right, left, site);
  }

  /** A bound or the step of a numeric `for`. */
  forNumber(value: Value, what: "initial" | "limit" | "step", site: Site): number {
    const number = toNumber(value);
    if (number !== undefined) return number;
    throw this.error(site.line, `'for' ${what === "initial" ? "initial value" : what} must be a number`);
  }

  metamethod(value: Value, event: string): Value {
    if (value instanceof LuaTable) return value.metatable?.get(event);
    return typeof value === "string" ? this.stringMetatable?.get(event) : undefined;
  }

  /** The result of `tostring`. Addresses of tables and functions are not imitated. */
  toText(value: Value): string {
    const handler = this.metamethod(value, "__tostring");
    if (handler !== undefined) {
      const [text] = this.invoke(handler, [value]);
      if (typeof text === "string") return text;
      if (typeof text === "number") return numberToText(text);
      throw new LuaError("'tostring' must return a string to 'print'");
    }
    switch (typeof value) {
      case "undefined":
        return "nil";
      case "string":
        return value;
      case "number":
        return numberToText(value);
      case "boolean":
        return String(value);
      default:
        return value instanceof Userdata ? "userdata: (nil)" : `${typeName(value)}: 0x000000000000`;
    }
  }

  #enter(callee: LuaFunction, args: readonly Value[], line: number, name?: string): readonly Value[] {
    this.tick();
    this.lines[this.depth] = line;
    this.#names[this.depth] = name;
    this.depth += 1;
    if (this.depth > MOST_CALLS) throw this.error(line, "stack overflow");
    const results = callee(args);
    this.depth -= 1;
    return results;
  }

  #rawSet(table: LuaTable, key: Value, value: Value, site: Site): void {
    if (table.readonly) throw this.error(site.line, "Attempt to modify a readonly table");
    if (key === undefined) throw this.error(site.line, "table index is nil");
    if (typeof key === "number" && Number.isNaN(key)) throw this.error(site.line, "table index is NaN");
    table.set(key, value);
  }

  #compare(event: "__lt" | "__le", left: Value, right: Value, site: Site): boolean | undefined {
    if (typeName(left) !== typeName(right)) return undefined;
    const handler = this.metamethod(left, event);
    if (handler === undefined || handler !== this.metamethod(right, event)) return undefined;
    return truthy(this.call(handler, [left, right], site)[0]);
  }

  #refuseComparison(left: Value, right: Value, site: Site): never {
    const [one, other] = [typeName(left), typeName(right)];
    const what = one === other ? `two ${one} values` : `${one} with ${other}`;
    throw this.error(site.line, `attempt to compare ${what}`);
  }

  #operandError(line: number, what: string, value: Value, name?: string): LuaError {
    const type = typeName(value);
    return this.error(
      line,
      name === undefined ? `attempt to ${what} a ${type} value` : `attempt to ${what} ${name} (a ${type} value)`,
    );
  }
}

/** The number of a value that is a number or, as a string, contains one. */
export function toNumber(value: Value): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" ? textToNumber(value) : undefined;
}

function concatenable(value: Value): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? numberToText(value) : undefined;
}

/** The shared empty list, for compiled code. */
export const nothing = NOTHING;
