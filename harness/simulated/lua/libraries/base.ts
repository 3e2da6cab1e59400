import { compile } from "../compiler/compile.ts";
import { libraryFunction, type LibraryFunction } from "./library.ts";
import type { Runtime } from "../runtime.ts";
import { toNumber } from "../runtime.ts";
import { LuaTable } from "../table.ts";
import { LuaError, type LuaFunction, truthy, typeName, type Value } from "../value.ts";

/** The basic functions (reference manual, section 5.1) that Redis leaves to scripts. */
export const BASE_LIBRARY: Readonly<Record<string, LibraryFunction>> = {
  assert: (args) => {
    if (truthy(args.any(1))) return args.values;
    throw args.failure(args.text(2, "assertion failed!"));
  },
  collectgarbage: (args) => (args.text(1, "collect") === "count" ? 0 : 0),
  error: (args, runtime) => {
    const value = args.at(1);
    const level = args.int(2, 1);
    const isText = typeof value === "string" || typeof value === "number";
    throw new LuaError(isText && level > 0 ? runtime.position(level) + runtime.toText(value) : value);
  },
  gcinfo: () => 0,
  getmetatable: (args, runtime) => {
    const value = args.any(1);
    const metatable =
      value instanceof LuaTable ? value.metatable : typeof value === "string" ? runtime.stringMetatable : undefined;
    return [metatable?.get("__metatable") ?? metatable];
  },
  ipairs: (args, runtime) => {
    const table = args.table(1);
    return [libraryFunction(nextIndex, runtime), table, 0];
  },
  load: (args, runtime) => {
    const read = args.function(1);
    let source = "";
    for (
      let [piece] = runtime.invoke(read, []);
      typeof piece === "string" && piece !== "";
      [piece] = runtime.invoke(read, [])
    ) {
      source += piece;
    }
    return loadText(source, args.text(2, "=(load)"), runtime);
  },
  loadstring: (args, runtime) => loadText(args.text(1), args.text(2, args.text(1)), runtime),
  next: (args) => {
    const entry = args.table(1).next(args.at(2));
    return entry ?? [undefined];
  },
  pairs: (args, runtime) => [runtime.index(runtime.globals, "next", { line: 0 }), args.table(1), undefined],
  pcall: (args, runtime) => {
    const callee = args.any(1);
    return protect(
      runtime,
      () => runtime.invoke(callee, args.values.slice(1)),
      // Redis' own pcall: for an error from a command, scripts get the text.
      (value) => {
        const text = value instanceof LuaTable ? value.get("err") : undefined;
        return [typeof text === "string" ? text : value];
      },
    );
  },
  rawequal: (args) => args.any(1) === args.any(2),
  rawget: (args) => [args.table(1).get(args.any(2))],
  rawset: (args) => {
    const table = args.table(1);
    table.set(args.any(2), args.any(3));
    return table;
  },
  select: (args) => {
    if (args.at(1) === "#") return args.count - 1;
    const position = args.int(1);
    const from = position < 0 ? args.count + position : position;
    if (from < 1) throw args.error(1, "index out of range");
    return args.values.slice(from);
  },
  setmetatable: (args) => {
    const table = args.table(1);
    const metatable = args.at(2);
    if (args.count < 2 || (metatable !== undefined && !(metatable instanceof LuaTable)))
      throw args.error(2, "nil or table expected");
    if (table.metatable?.get("__metatable") !== undefined) throw args.failure("cannot change a protected metatable");
    if (table.readonly) throw new LuaError("Attempt to modify a readonly table");
    table.metatable = metatable;
    return table;
  },
  tonumber: (args) => {
    const base = args.int(2, 10);
    if (base === 10) return [toNumber(args.any(1))];
    const text = args.text(1);
    if (base < 2 || base > 36) throw args.error(2, "base out of range");
    return [digitsToNumber(text, base)];
  },
  tostring: (args, runtime) => runtime.toText(args.any(1)),
  type: (args) => typeName(args.any(1)),
  unpack: (args) => {
    const table = args.table(1);
    const from = args.int(2, 1);
    const to = args.int(3, table.length);
    if (to - from >= 8000) throw args.failure("too many results to unpack");
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => table.get(from + index));
  },
  xpcall: (args, runtime) => {
    const callee = args.any(1);
    const handler = args.any(2);
    return protect(
      runtime,
      () => runtime.invoke(callee, []),
      (value) => runtime.invoke(handler, [value]),
    );
  },
};

const nextIndex: LibraryFunction = (args) => {
  const index = args.int(2) + 1;
  const value = args.table(1).get(index);
  return value === undefined ? [undefined] : [index, value];
};

function protect(
  runtime: Runtime,
  work: () => readonly Value[],
  handle: (value: Value) => readonly Value[],
): readonly Value[] {
  const { depth } = runtime;
  try {
    return [true, ...work()];
  } catch (error) {
    runtime.depth = depth;
    if (error instanceof LuaError) return [false, ...handle(error.value)];
    // JavaScript's own stack may end before ours does.
    if (error instanceof RangeError) return [false, ...handle("stack overflow")];
    throw error;
  }
}

function loadText(source: string, name: string, runtime: Runtime): readonly Value[] {
  try {
    return [compile(source, chunkName(name))(runtime) satisfies LuaFunction];
  } catch (error) {
    if (error instanceof LuaError) return [undefined, error.value];
    throw error;
  }
}

/** A chunk's name in errors: a name after `=` or `@` as it is, a source as `[string "..."]` with its first line. */
function chunkName(name: string): string {
  if (name.startsWith("=") || name.startsWith("@")) return name.slice(1);
  const [first = ""] = name.split("\n");
  return first === name && name.length < 45 ? `[string "${name}"]` : `[string "${first.slice(0, 42)}..."]`;
}

function digitsToNumber(text: string, base: number): number | undefined {
  const match = (base === 16 ? /^\s*([+-]?)(?:0x)?([\da-z]+)\s*$/i : /^\s*([+-]?)([\da-z]+)\s*$/i).exec(text);
  if (match === null) return undefined;
  let value = 0;
  for (const digit of (match[2] ?? "").toLowerCase()) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= base) return undefined;
    value = value * base + worth;
  }
  // As C's strtoul: a minus sign wraps around, and this is the maximum.
  const most = 2 ** 64;
  if (value >= most) return most;
  return match[1] === "-" && value > 0 ? Number(BigInt.asUintN(64, -BigInt(value))) : value;
}
