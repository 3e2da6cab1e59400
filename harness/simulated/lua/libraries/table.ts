import type { Arguments } from "./arguments.ts";
import type { LibraryFunction } from "./library.ts";
import { quicksort } from "./sort.ts";
import type { Runtime } from "../runtime.ts";
import type { LuaTable } from "../table.ts";
import { truthy, type Value } from "../value.ts";

/** The library `table` (reference manual, section 5.5). */
export const TABLE_LIBRARY: Readonly<Record<string, LibraryFunction>> = {
  concat: (args) => {
    const table = args.table(1);
    const separator = args.text(2, "");
    const from = args.int(3, 1);
    const to = args.int(4, table.length);
    const parts: string[] = [];
    for (let index = from; index <= to; index += 1) parts.push(part(args, table, index));
    return parts.join(separator);
  },
  foreach: (args, runtime) => {
    const visit = args.function(2);
    for (const entry of args.table(1).entries()) {
      const [result] = runtime.invoke(visit, entry);
      if (result !== undefined) return result;
    }
    return undefined;
  },
  foreachi: (args, runtime) => {
    const table = args.table(1);
    const visit = args.function(2);
    for (let index = 1; index <= table.length; index += 1) {
      const [result] = runtime.invoke(visit, [index, table.get(index)]);
      if (result !== undefined) return result;
    }
    return undefined;
  },
  getn: (args) => args.table(1).length,
  insert: (args, runtime) => {
    const table = args.table(1);
    if (args.count === 2) table.set(table.length + 1, args.at(2));
    else if (args.count === 3) insert(table, args.int(2), args.at(3), runtime);
    else throw args.failure("wrong number of arguments to 'insert'");
    return undefined;
  },
  maxn: (args) => {
    let largest = 0;
    for (const [key] of args.table(1).entries()) if (typeof key === "number" && key > largest) largest = key;
    return largest;
  },
  remove: (args) => {
    const table = args.table(1);
    const size = table.length;
    const position = args.int(2, size);
    if (position < 1 || position > size) return undefined;
    const removed = table.get(position);
    for (let index = position; index < size; index += 1) table.set(index, table.get(index + 1));
    table.set(size, undefined);
    return [removed];
  },
  setn: (args) => {
    args.table(1);
    throw args.failure("'setn' is obsolete");
  },
  sort: (args, runtime) => {
    const table = args.table(1);
    const order = args.at(2) === undefined ? undefined : args.function(2);
    const before = (a: Value, b: Value): boolean =>
      order === undefined ? runtime.less(a, b, LIBRARY) : truthy(runtime.invoke(order, [a, b])[0]);
    quicksort(table, 1, table.length, before, () => args.failure("invalid order function for sorting"));
    return undefined;
  },
};

/** Library code that compares on behalf of a script reports no line. */
const LIBRARY = { line: 0 };

function part(args: Arguments, table: LuaTable, index: number): string {
  const value = table.get(index);
  if (typeof value !== "string" && typeof value !== "number") {
    throw args.failure(
      `invalid value (${value === undefined ? "nil" : nameOf(value)}) at index ${index} in table for 'concat'`,
    );
  }
  return args.textOf(value);
}

function nameOf(value: Value): string {
  return typeof value === "object" ? "table" : typeof value;
}

function insert(table: LuaTable, position: number, value: Value, runtime: Runtime): void {
  const end = Math.max(table.length + 1, position);
  // The position may be two thousand million below, and everything in between is moved.
  runtime.tick(end - position);
  for (let index = end; index > position; index -= 1) table.set(index, table.get(index - 1));
  table.set(position, value);
}
