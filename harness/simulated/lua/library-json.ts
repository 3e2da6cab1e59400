import { formatG } from "../redis/floats.ts";
import type { Arguments } from "./arguments.ts";
import type { LibraryFunction } from "./library.ts";
import { textToNumber } from "./numbers.ts";
import { LuaTable } from "./table.ts";
import { type LuaError, typeName, Userdata, type Value } from "./value.ts";

/** JSON's null: a value that is not nil, because a table cannot hold nil. */
export const JSON_NULL = new Userdata("cjson.null");

const DEEPEST = 1000;
/** A list with more gaps than this is refused: `encode_sparse_array(false, 2, 10)`. */
const SPARSE = { ratio: 2, safe: 10 };

/** The library `cjson` (lua-cjson 2.1), in its default settings. */
export const JSON_LIBRARY: Readonly<Record<string, LibraryFunction>> = {
  encode: (args) => {
    if (args.count !== 1) throw args.error(1, "expected 1 argument");
    return encode(args.at(1), args, 0);
  },
  decode: (args) => {
    if (args.count !== 1) throw args.error(1, "expected 1 argument");
    return [new JsonReader(args.text(1), args).whole()];
  },
};

function encode(value: Value, args: Arguments, depth: number): string {
  switch (typeof value) {
    case "undefined":
      return "null";
    case "boolean":
      return String(value);
    case "number":
      if (!Number.isFinite(value)) throw args.failure("Cannot serialise number: must not be NaN or Inf");
      return formatG(value, 14);
    case "string":
      return quote(value);
    case "object":
      if (value === JSON_NULL) return "null";
      if (value instanceof LuaTable) return encodeTable(value, args, depth + 1);
      break;
    default:
  }
  throw args.failure(`Cannot serialise ${typeName(value)}: type not supported`);
}

function encodeTable(table: LuaTable, args: Arguments, depth: number): string {
  if (depth > DEEPEST) throw args.failure(`Cannot serialise, excessive depth (${depth})`);
  const length = listLength(table, args);
  if (length > 0) {
    const items = Array.from({ length }, (_, index) => encode(table.get(index + 1), args, depth));
    return `[${items.join(",")}]`;
  }
  const fields: string[] = [];
  for (const [key, value] of table.entries()) {
    if (typeof key !== "string" && typeof key !== "number") {
      throw args.failure(`Cannot serialise ${typeName(key)}: table key must be a number or string`);
    }
    fields.push(`${typeof key === "number" ? `"${formatG(key, 14)}"` : quote(key)}:${encode(value, args, depth)}`);
  }
  return `{${fields.join(",")}}`;
}

/** The length of a table that is a list, -1 for one that is not, 0 for an empty one, which becomes an object. */
function listLength(table: LuaTable, args: Arguments): number {
  let [largest, items] = [0, 0];
  for (const [key] of table.entries()) {
    if (typeof key !== "number" || !Number.isInteger(key) || key < 1) return -1;
    largest = Math.max(largest, key);
    items += 1;
  }
  if (largest > items * SPARSE.ratio && largest > SPARSE.safe) {
    throw args.failure("Cannot serialise table: excessively sparse array");
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

/** Reads JSON as lua-cjson does, which takes a little more than the standard allows. */
class JsonReader {
  readonly #text: string;
  readonly #args: Arguments;
  #at = 0;
  #depth = 0;

  constructor(text: string, args: Arguments) {
    this.#text = text;
    this.#args = args;
  }

  whole(): Value {
    const value = this.#value("value");
    this.#skip();
    if (this.#at < this.#text.length) throw this.#expected("the end");
    return value;
  }

  #value(what: string): Value {
    this.#skip();
    const character = this.#text.charAt(this.#at);
    if (character === "{") return this.#object();
    if (character === "[") return this.#array();
    if (character === '"') return this.#string();
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", JSON_NULL],
    ] as const) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#number(what);
  }

  #object(): LuaTable {
    const table = new LuaTable();
    this.#enter();
    if (this.#take("}")) return this.#leave(table);
    do {
      this.#skip();
      if (this.#text[this.#at] !== '"') throw this.#expected("object key string");
      const key = this.#string();
      if (!this.#take(":")) throw this.#expected("colon");
      table.set(key, this.#value("value"));
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#expected("comma or object end");
    return this.#leave(table);
  }

  #array(): LuaTable {
    const table = new LuaTable();
    this.#enter();
    if (this.#take("]")) return this.#leave(table);
    let position = 0;
    do {
      position += 1;
      table.set(position, this.#value("value"));
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#expected("comma or array end");
    return this.#leave(table);
  }

  #string(): string {
    const begin = this.#at;
    let result = "";
    for (this.#at += 1; ; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === undefined) {
        this.#at = begin;
        throw this.#problem("unexpected end of string", this.#text.length);
      }
      if (character === '"') break;
      result += character === "\\" ? this.#escape() : character;
    }
    this.#at += 1;
    return result;
  }

  #escape(): string {
    this.#at += 1;
    const character = this.#text.charAt(this.#at);
    const plain = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[character];
    if (plain !== undefined) return plain;
    const code = this.#hexadecimal(this.#at + 1);
    if (character !== "u" || code === undefined) throw this.#problem("invalid escape code", this.#at - 1);
    this.#at += 4;
    if (code < 0xd800 || code > 0xdfff) return utf8(code);
    const low = this.#text.startsWith(String.raw`\u`, this.#at + 1) ? this.#hexadecimal(this.#at + 3) : undefined;
    if (code > 0xdbff || low === undefined || low < 0xdc00 || low > 0xdfff) {
      throw this.#problem("invalid unicode escape code", this.#at - 5);
    }
    this.#at += 6;
    return utf8(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00));
  }

  #hexadecimal(at: number): number | undefined {
    const digits = this.#text.slice(at, at + 4);
    return /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
  }

  #number(what: string): number {
    const text = /^-?(0x[\da-f]+|\d+\.?\d*(e[+-]?\d+)?|inf(inity)?|nan)/i.exec(this.#text.slice(this.#at))?.[0];
    const value = text === undefined ? undefined : textToNumber(text);
    if (text === undefined || value === undefined) throw this.#expected(what);
    this.#at += text.length;
    return value;
  }

  #enter(): void {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > DEEPEST) {
      throw this.#args.failure(`Found too many nested data structures (${this.#depth}) at character ${this.#at}`);
    }
  }

  #leave(table: LuaTable): LuaTable {
    this.#depth -= 1;
    return table;
  }

  #take(character: string): boolean {
    this.#skip();
    const found = this.#text[this.#at] === character;
    if (found) this.#at += 1;
    return found;
  }

  #skip(): void {
    while (/[ \t\n\r]/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #expected(what: string): LuaError {
    this.#skip();
    const found = this.#at >= this.#text.length ? "T_END" : tokenName(this.#text.charAt(this.#at));
    return this.#args.failure(`Expected ${what} but found ${found} at character ${this.#at + 1}`);
  }

  #problem(problem: string, at: number): LuaError {
    return this.#args.failure(`Expected value but found ${problem} at character ${at + 1}`);
  }
}

function tokenName(character: string): string {
  const names: Readonly<Record<string, string>> = {
    "{": "T_OBJ_BEGIN",
    "}": "T_OBJ_END",
    "[": "T_ARR_BEGIN",
    "]": "T_ARR_END",
    '"': "T_STRING",
    ":": "T_COLON",
    ",": "T_COMMA",
  };
  return names[character] ?? "invalid token";
}

function utf8(code: number): string {
  return Buffer.from(String.fromCodePoint(code), "utf8").toString("latin1");
}
