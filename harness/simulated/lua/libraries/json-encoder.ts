import { formatG } from "../../redis/numbers/floats.ts";
import type { Arguments } from "./arguments.ts";
import { JSON_NULL, type JsonSettings } from "./json-settings.ts";
import { LuaTable } from "../table.ts";
import { typeName, type Value } from "../value.ts";

/** A value as JSON. @throws LuaError when it has none */
export function encodeJson(value: Value, settings: JsonSettings, args: Arguments): string {
  return encode(value, { settings, args }, 0);
}

interface Context {
  readonly settings: JsonSettings;
  readonly args: Arguments;
}

function encode(value: Value, context: Context, depth: number): string {
  switch (typeof value) {
    case "undefined":
      return "null";
    case "boolean":
      return String(value);
    case "number":
      return encodeNumber(value, context);
    case "string":
      return quote(value);
    case "object":
      if (value === JSON_NULL) return "null";
      if (value instanceof LuaTable) return encodeTable(value, context, depth + 1);
      break;
    default:
  }
  throw context.args.failure(`Cannot serialise ${typeName(value)}: type not supported`);
}

function encodeNumber(value: number, { settings, args }: Context): string {
  if (Number.isFinite(value)) return formatG(value, settings.precision);
  if (settings.encodeInvalid === "null") return "null";
  if (settings.encodeInvalid === "off") throw args.failure("Cannot serialise number: must not be NaN or Inf");
  if (Number.isNaN(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

function encodeTable(table: LuaTable, context: Context, depth: number): string {
  if (depth > context.settings.encodeMaxDepth) {
    throw context.args.failure(`Cannot serialise, excessive nesting (${depth})`);
  }
  const length = listLength(table, context);
  if (length > 0) {
    const items = Array.from({ length }, (_, index) => encode(table.get(index + 1), context, depth));
    return `[${items.join(",")}]`;
  }
  const fields: string[] = [];
  for (const [key, value] of table.entries()) {
    if (typeof key !== "string" && typeof key !== "number") {
      throw context.args.failure(`Cannot serialise ${typeName(key)}: table key must be a number or string`);
    }
    const name = typeof key === "number" ? `"${encodeNumber(key, context)}"` : quote(key);
    fields.push(`${name}:${encode(value, context, depth)}`);
  }
  return `{${fields.join(",")}}`;
}

/** The length of a table that is a list; -1 for one that is not; 0 for an empty one, which becomes an object. */
function listLength(table: LuaTable, { settings, args }: Context): number {
  let [largest, items] = [0, 0];
  for (const [key] of table.entries()) {
    if (typeof key !== "number" || Math.floor(key) !== key || key < 1) return -1;
    // Beyond 32 bits C's cast returns the smallest integer.
    if (key > largest) largest = key > 2_147_483_647 ? -2_147_483_648 : key;
    items += 1;
  }
  const { sparseRatio, sparseSafe, sparseConvert } = settings;
  if (sparseRatio > 0 && largest > Math.imul(items, sparseRatio) && largest > sparseSafe) {
    if (sparseConvert === "off") throw args.failure("Cannot serialise table: excessively sparse array");
    return -1;
  }
  return largest;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  "\\": "\\\\",
  "/": String.raw`\/`,
  "\b": String.raw`\b`,
  "\f": String.raw`\f`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\t": String.raw`\t`,
};

function quote(text: string): string {
  const escaped = text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /["\\/\u0000-\u001f\u007f]/g,
    (character) => ESCAPES[character] ?? String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped}"`;
}
