import type { Arguments } from "./arguments.ts";
import { JSON_NULL, type JsonSettings } from "./json-settings.ts";
import { textToNumber } from "../numbers.ts";
import { LuaTable } from "../table.ts";
import type { LuaError, Value } from "../value.ts";

/** A token: its type as errors name it, its position, and its value if it has one. */
interface Token {
  readonly type: string;
  readonly at: number;
  readonly value?: Value;
}

const MARKS: Readonly<Record<string, string>> = {
  "{": "T_OBJ_BEGIN",
  "}": "T_OBJ_END",
  "[": "T_ARR_BEGIN",
  "]": "T_ARR_END",
  ":": "T_COLON",
  ",": "T_COMMA",
};
const WORDS: readonly (readonly [string, Omit<Token, "at">])[] = [
  ["true", { type: "T_BOOLEAN", value: true }],
  ["false", { type: "T_BOOLEAN", value: false }],
  ["null", { type: "T_NULL", value: JSON_NULL }],
];
/** The prefix of a text that C's strtod takes. */
const NUMBER =
  /[+-]?(?:0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan(?:\(\w*\))?)/iy;
/** Numbers that JSON does not have, but strtod accepts. */
const INVALID = /\+|-?(?:0[x\d]|inf|nan)/iy;

/** Reads JSON as lua-cjson does, which accepts a little more than the standard. A text ends at its first NUL. */
export class JsonReader {
  readonly #text: string;
  readonly #settings: JsonSettings;
  readonly #args: Arguments;
  #at = 0;
  #depth = 0;

  constructor(text: string, settings: JsonSettings, args: Arguments) {
    this.#text = text;
    this.#settings = settings;
    this.#args = args;
  }

  /**
   * The value of the text.
   * @throws LuaError when it has none
   */
  whole(): Value {
    if (this.#text.length >= 2 && this.#text.slice(0, 2).includes("\0")) {
      throw this.#args.failure("JSON parser does not support UTF-16 or UTF-32");
    }
    const value = this.#value(this.#next());
    const token = this.#next();
    if (token.type !== "T_END") throw this.#unexpected("the end", token);
    return value;
  }

  #value(token: Token): Value {
    switch (token.type) {
      case "T_STRING":
      case "T_NUMBER":
      case "T_BOOLEAN":
      case "T_NULL":
        return token.value;
      case "T_OBJ_BEGIN":
        return this.#object();
      case "T_ARR_BEGIN":
        return this.#array();
      default:
        throw this.#unexpected("value", token);
    }
  }

  #object(): LuaTable {
    const table = new LuaTable();
    this.#enter();
    let token = this.#next();
    while (token.type !== "T_OBJ_END") {
      if (token.type !== "T_STRING") throw this.#unexpected("object key string", token);
      const colon = this.#next();
      if (colon.type !== "T_COLON") throw this.#unexpected("colon", colon);
      table.set(token.value, this.#value(this.#next()));
      token = this.#next();
      if (token.type === "T_OBJ_END") break;
      if (token.type !== "T_COMMA") throw this.#unexpected("comma or object end", token);
      token = this.#next();
      // A value must follow a comma.
      if (token.type === "T_OBJ_END") throw this.#unexpected("object key string", token);
    }
    this.#depth -= 1;
    return table;
  }

  #array(): LuaTable {
    const table = new LuaTable();
    this.#enter();
    let token = this.#next();
    for (let position = 1; token.type !== "T_ARR_END"; position += 1) {
      table.set(position, this.#value(token));
      token = this.#next();
      if (token.type === "T_ARR_END") break;
      if (token.type !== "T_COMMA") throw this.#unexpected("comma or array end", token);
      token = this.#next();
      if (token.type === "T_ARR_END") throw this.#unexpected("value", token);
    }
    this.#depth -= 1;
    return table;
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > this.#settings.decodeMaxDepth) {
      throw this.#args.failure(`Found too many nested data structures (${this.#depth}) at character ${this.#at}`);
    }
  }

  #next(): Token {
    while (/[ \t\n\r]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    const at = this.#at;
    const character = this.#text.charAt(at);
    if (character === "" || character === "\0") return { type: "T_END", at };
    const mark = MARKS[character];
    if (mark !== undefined) {
      this.#at += 1;
      return { type: mark, at };
    }
    if (character === '"') return this.#string(at);
    const allowsInvalid = this.#settings.decodeInvalid === "on";
    if (/[-\d]/.test(character)) {
      return !allowsInvalid && this.#matches(INVALID) ? { type: "invalid number", at } : this.#number(at);
    }
    for (const [word, token] of WORDS) {
      if (!this.#text.startsWith(word, at)) continue;
      this.#at += word.length;
      return { ...token, at };
    }
    const mayBeNumber = allowsInvalid && /[+iInN]/.test(character) && this.#matches(INVALID);
    return mayBeNumber ? this.#number(at) : { type: "invalid token", at };
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #number(at: number): Token {
    NUMBER.lastIndex = at;
    const text = NUMBER.exec(this.#text)?.[0];
    if (text === undefined) return { type: "invalid number", at };
    this.#at += text.length;
    return { type: "T_NUMBER", at, value: textToNumber(text.replace(/\(.*/, "")) };
  }

  /** A string, or its error and position. */
  #string(at: number): Token {
    let result = "";
    for (this.#at += 1; ; this.#at += 1) {
      const character = this.#text.charAt(this.#at);
      if (character === '"') break;
      if (character === "" || character === "\0") return { type: "unexpected end of string", at: this.#at };
      if (character !== "\\") {
        result += character;
        continue;
      }
      const escaped = this.#text.charAt(this.#at + 1);
      const plain = ESCAPED[escaped];
      if (plain === undefined && escaped !== "u") return { type: "invalid escape code", at: this.#at };
      const unicode = plain === undefined ? this.#unicode() : plain;
      if (unicode === undefined) return { type: "invalid unicode escape code", at: this.#at };
      result += unicode;
      if (plain !== undefined) this.#at += 1;
    }
    this.#at += 1;
    return { type: "T_STRING", at, value: result };
  }

  /** The character of `\u....`, with its second half if it has one; leaves the position at its last digit. */
  #unicode(): string | undefined {
    const code = this.#hexadecimal(this.#at + 2);
    if (code === undefined) return undefined;
    if (code < 0xd800 || code > 0xdfff) {
      this.#at += 5;
      return utf8(code);
    }
    const low = this.#text.startsWith(String.raw`\u`, this.#at + 6) ? this.#hexadecimal(this.#at + 8) : undefined;
    if (code > 0xdbff || low === undefined || low < 0xdc00 || low > 0xdfff) return undefined;
    this.#at += 11;
    return utf8(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00));
  }

  #hexadecimal(at: number): number | undefined {
    const digits = this.#text.slice(at, at + 4);
    return /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
  }

  #unexpected(expected: string, { type, at }: Token): LuaError {
    return this.#args.failure(`Expected ${expected} but found ${type} at character ${at + 1}`);
  }
}

const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

function utf8(code: number): string {
  return Buffer.from(String.fromCodePoint(code), "utf8").toString("latin1");
}
